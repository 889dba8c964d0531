// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "sim/field_table.hpp"
#include "support/catalog_nodes.hpp"
#include "support/catch.hpp"
#include "support/replaced.hpp"
#include "tools/import/nccl_topology.hpp"
#include "tools/import/topology_cluster.hpp"
#include "topology/cluster/cluster.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;
using clusterwright::testing::shipped_parts;

namespace {

/// What a made-up server has; every field changes one thing of an 8-GPU server with NVSwitches.
struct Server {
  int gpus = 8, per_switch = 1, processors = 2;
  std::string sm = "90", device = "0x2330";
  std::string vendor = "GenuineIntel";
  std::string links =
      "<nvlink target=\"0000:05:00.0\" count=\"10\" tclass=\"0x068000\"/>"
      "<nvlink target=\"0000:06:00.0\" count=\"8\" tclass=\"0x068000\"/>";
  std::string gpu_link = "32.0 GT/s PCIe";
  std::string nic_device = "0x1021", nic_speed = "400000";
  bool nics = true;
  std::string host = {};
};

std::string pci(int bus, int function, const std::string& kind, const std::string& device, const std::string& speed,
                const std::string& inside) {
  return fmt::format(
      "<pci busid=\"0000:{:02X}:00.{}\" class=\"{}\" vendor=\"{}\" device=\"{}\" link_speed=\"{}\" link_width=\"16\">{}"
      "</pci>\n",
      bus, function, kind, kind == "0x030200" ? "0x10de" : "0x15b3", device, speed, inside);
}

std::string gpu(const Server& server, int number) {
  const std::string inside =
      fmt::format("<gpu dev=\"{0}\" sm=\"{1}\" rank=\"{0}\" gdr=\"1\">{2}</gpu>", number, server.sm, server.links);
  return pci(0x10 + number, 0, "0x030200", server.device, server.gpu_link, inside);
}

std::string nic(const Server& server, int number) {
  const std::string inside = fmt::format(
      "<nic><net name=\"mlx5_{0}\" dev=\"{0}\" speed=\"{1}\" port=\"1\" latency=\"0.0\" guid=\"0x1{0}\" gdr=\"1\" "
      "rail=\"{0}\"/></nic>",
      number, server.nic_speed);
  return pci(0x40 + number, 0, "0x020700", server.nic_device, "32.0 GT/s PCIe", inside);
}

/// A switch with GPUs and as many NICs.
std::string pcie_switch(const Server& server, int first) {
  std::string inside;
  for (int i = first; i < first + server.per_switch; ++i)
    inside += gpu(server, i) + (server.nics ? nic(server, i) : "");
  return pci(0x60 + first, 0, "0x060400", "0xc030", "32.0 GT/s PCIe", inside);
}

std::string processors_of(const Server& server) {
  std::string out;
  const int each = server.gpus / server.processors;
  for (int p = 0; p < server.processors; ++p) {
    out += fmt::format(
        "<cpu host_hash=\"{}\" numaid=\"{}\" affinity=\"ff\" arch=\"x86_64\" vendor=\"{}\" familyid=\"6\" "
        "modelid=\"143\">\n",
        server.host, p, server.vendor);
    for (int g = p * each; g < (p + 1) * each; g += std::max(1, server.per_switch))
      out += server.per_switch > 0 ? pcie_switch(server, g) : gpu(server, g);
    out += "</cpu>\n";
  }
  return out;
}

std::string xml(const Server& server) {
  return "<system version=\"1\">\n" + processors_of(server) + "</system>\n";
}

NodeTopology topology(const std::string& text) {
  return read_nccl_topology(std::make_shared<const SourceText>("topo.xml", text));
}

Cluster built(const Server& server, const ClusterImport& options = {}) {
  const JsonValue document = cluster_of(topology(xml(server)), options, shipped_parts());
  return build_cluster(decode_record<ClusterSpec>(document), shipped_parts(), document);
}

template <class Action>
void check_action_refused(Action action, const std::string& code, const std::string& words) {
  try {
    action();
    FAIL("was accepted");
  } catch (const ConfigError& error) {
    INFO(error.what());
    CHECK(error.diagnostics().front().code == code);
    CHECK(std::string(error.what()).find(words) != std::string::npos);
  }
}

void check_text_refused(const std::string& text, const std::string& code, const std::string& words) {
  check_action_refused([&] { topology(text); }, code, words);
}

void check_cluster_refused(const Server& server, const ClusterImport& options, const std::string& code,
                           const std::string& words) {
  check_action_refused([&] { built(server, options); }, code, words);
}

}  // namespace

TEST_CASE("a topology has processors, switches, GPUs with their links, and NICs", "[tools][import]") {
  const NodeTopology node = topology(xml({}));
  REQUIRE(node.gpus.size() == 8);
  REQUIRE(node.nics.size() == 8);
  CHECK(node.nodes == 1);
  CHECK(node.processors.size() == 2);
  CHECK(node.switches.size() == 8);
  const TopologyGpu& gpu = node.gpus[5];
  CHECK(gpu.number == 5);
  CHECK(gpu.compute_capability == 90);
  CHECK(gpu.direct_rdma);
  CHECK(gpu.pcie.bus_id == "0000:15:00.0");
  CHECK(gpu.pcie.processor == 1);
  CHECK(gpu.switch_links == 18);
  CHECK(gpu.peers.empty());
  // 32 GT/s x 16 lanes x 128/130 / 8 bits
  CHECK(gpu.pcie.link.rate().in(gigabyte_per_second) == Approx(63.015).epsilon(1e-4));
  CHECK(node.nics[5].name == "mlx5_5");
  CHECK(node.nics[5].rate == 400 * gigabit_per_second);
  CHECK(node.processors[0].model == 143);
  const NearestNics near = nearest_nics(node, 5);
  CHECK(near.distance == NicDistance::same_switch);
  CHECK(near.nics == std::vector<std::size_t>{5});
}

TEST_CASE("PCI Express links of every generation", "[tools][import]") {
  CHECK(PcieLink{2.5, 16}.rate().in(gigabyte_per_second) == Approx(4));
  CHECK(PcieLink{8, 16}.rate().in(gigabyte_per_second) == Approx(15.75).epsilon(1e-3));
  CHECK(PcieLink{64, 16}.rate().in(gigabyte_per_second) == Approx(121).epsilon(1e-3));
  CHECK(PcieLink{0, 16}.rate() == BytesPerSecond{});
}

TEST_CASE("NICs that share no switch are near a GPU under the same processor", "[tools][import]") {
  const std::string text = replaced(replaced(xml({.nics = false}), "</cpu>", nic({}, 0) + "</cpu>"), "<cpu ",
                                    "<cpu><nic><net name=\"eth0\" speed=\"10000\"/></nic></cpu><cpu ");
  const NodeTopology node = topology(text);
  REQUIRE(node.nics.size() == 2);
  CHECK_FALSE(node.nics[0].on_pcie);
  CHECK(nearest_nics(node, 0).distance == NicDistance::same_processor);
  CHECK(nearest_nics(node, 0).nics == std::vector<std::size_t>{1});
  CHECK(nearest_nics(node, 7).distance == NicDistance::between_processors);
  CHECK(nearest_nics(node, 7).nics.size() == 2);
}

TEST_CASE("an 8-GPU server becomes a cluster that builds", "[tools][import]") {
  const Cluster one = built({});
  CHECK(one.accelerator.id == "H100-SXM");
  CHECK(one.nodes() == 1);
  CHECK(one.node_accelerators == 8);
  CHECK(one.nics == 8);
  CHECK(one.scale_up_bandwidth == 450 * gigabyte_per_second);
  CHECK(one.spec.node.nic == "ConnectX-7 NDR");
  CHECK(one.spec.node.pcie.accelerators_per_switch == 1);
  CHECK(one.spec.node.pcie.sockets == 2);
  CHECK_FALSE(one.spec.node.pcie.link);  // as the data sheet says
  CHECK(one.spec.node.pcie.nics == NicAttachment::pcie_switch);
  CHECK(one.spec.fabric.transport == Transport::none);
  const Cluster many = built({}, {.nodes = 64, .transport = Transport::infiniband, .name = "pod"});
  CHECK(many.spec.name == "pod");
  CHECK(many.spec.accelerators == 512);
  CHECK(many.nic_bandwidth == 400 * gigabit_per_second);
  CHECK(many.fabric.tiers().size() == 1);
}

TEST_CASE("two GPUs and two NICs under each switch of one AMD processor in quarters", "[tools][import]") {
  const Cluster cluster = built({.per_switch = 2,
                                 .processors = 4,
                                 .sm = "80",
                                 .device = "0x20b0",
                                 .vendor = "AuthenticAMD",
                                 .links = "<nvlink target=\"fffffff:ffff:ff\" count=\"12\" tclass=\"0x068000\"/>",
                                 .gpu_link = "8.0 GT/s PCIe",
                                 .nic_device = "0x101b",
                                 .nic_speed = "200000"});
  CHECK(cluster.accelerator.id == "A100-40-SXM");
  CHECK(cluster.spec.node.pcie.accelerators_per_switch == 2);
  CHECK(cluster.spec.node.pcie.sockets == 2);
  CHECK(cluster.spec.node.pcie.link->in(gigabyte_per_second) == Approx(15.75));
  CHECK(cluster.spec.node.pcie.uplink->in(gigabyte_per_second) == Approx(63.02));
  CHECK(cluster.spec.source.find("4 NUMA domains count as 2 processors") != std::string::npos);
}

TEST_CASE("cards without links, and cards that bridges join in pairs", "[tools][import]") {
  const Cluster cards = built({.per_switch = 4, .sm = "89", .device = "0x26b9", .links = ""});
  CHECK(cards.accelerator.id == "L40S");
  CHECK(cards.links.wiring().domain == 1);
  // 8 of the 12 links that the bridges of a card can carry, 25 GB/s each
  std::string text = xml({.sm = "80", .device = "0x20b5", .links = "LINK"});
  for (int i = 0; i < 8; ++i)
    text = replaced(text, "LINK",
                    fmt::format("<nvlink target=\"0000:{:x}:00.0\" count=\"8\" tclass=\"0x030200\"/>", 0x10 + (i ^ 1)));
  const JsonValue document = cluster_of(topology(text), {}, shipped_parts());
  const Cluster pairs = build_cluster(decode_record<ClusterSpec>(document), shipped_parts(), document);
  CHECK(pairs.accelerator.id == "A100-80-PCIe");
  CHECK(pairs.links.wiring().domain == 2);
  CHECK(pairs.spec.node.scale_up == ScaleUpWiring::mesh);
  CHECK(pairs.scale_up_bandwidth == 200 * gigabyte_per_second);
  check_action_refused(
      [&] {
        cluster_of(topology(replaced(text, "0000:11:00.0\" count", "0000:12:00.0\" count")), {}, shipped_parts());
      },
      "E0340", "full mesh");
}

TEST_CASE("fewer links than the part has lower the rate", "[tools][import]") {
  const Cluster cluster = built({.links = "<nvlink target=\"0000:05:00.0\" count=\"16\"/>"});
  CHECK(cluster.scale_up_bandwidth == 400 * gigabyte_per_second);
}

TEST_CASE("trays of a rack that acts as one need no network", "[tools][import]") {
  const std::string links =
      "<nvlink target=\"fffffff:ffff:ff\" count=\"18\" tclass=\"0x068000\"/><c2c bw=\"44\" count=\"1\"/>";
  const Server tray{
      .gpus = 4, .per_switch = 0, .sm = "100", .device = "0x2941", .links = links, .gpu_link = "", .host = "0x1"};
  Server other = tray;
  other.host = "0x2";
  const NodeTopology node =
      topology("<system version=\"1\">" + processors_of(tray) + processors_of(other) + "</system>");
  CHECK(node.nodes == 2);
  CHECK(node.gpus.size() == 4);
  const JsonValue document = cluster_of(node, {}, shipped_parts());
  const Cluster rack = build_cluster(decode_record<ClusterSpec>(document), shipped_parts(), document);
  CHECK(rack.accelerator.id == "GB200-GPU");
  CHECK(rack.spec.accelerators == 8);
  CHECK(rack.domain == 72);
  other.gpus = 2;
  check_text_refused("<system version=\"1\">" + processors_of(tray) + processors_of(other) + "</system>", "E0340",
                     "differ");
}

TEST_CASE("the file of a cloud provider names PCI devices alone", "[tools][import]") {
  const std::string leaf =
      "<pci busid=\"0001:00:00.0\" class=\"0x060400\" link_speed=\"16 GT/s\" link_width=\"16\">"
      "<pci busid=\"0002:00:00.0\" class=\"0x030200\" link_speed=\"16 GT/s\" link_width=\"16\"/>"
      "<pci busid=\"0003:00:00.0\" class=\"0x020700\" link_speed=\"16 GT/s\" link_width=\"16\"/></pci>";
  const NodeTopology node = topology("<system version=\"1\"><cpu numaid=\"0\">" + leaf + "</cpu></system>");
  REQUIRE(node.gpus.size() == 1);
  REQUIRE(node.nics.size() == 1);
  CHECK_FALSE(node.gpus[0].compute_capability);
  check_action_refused([&] { cluster_of(node, {}, shipped_parts()); }, "E0203", "--accelerator");
  check_action_refused(
      [&] {
        cluster_of(node, {.accelerator = "A100-80-SXM", .nodes = 2, .transport = Transport::roce}, shipped_parts());
      },
      "E0203", "--nic");
  const JsonValue document = cluster_of(
      node, {.accelerator = "A100-80-SXM", .nic = "ConnectX-6 HDR", .nodes = 2, .transport = Transport::roce},
      shipped_parts());
  CHECK(build_cluster(decode_record<ClusterSpec>(document), shipped_parts(), document).nic_bandwidth ==
        200 * gigabit_per_second);
}

TEST_CASE("an accelerator is guessed only where one remains", "[tools][import]") {
  check_cluster_refused({.sm = "100", .device = "0xffff"}, {}, "E0203", "B100, B200");
  check_cluster_refused({.device = "0xffff"}, {}, "E0203", "H100-SXM, H200, ");
  check_cluster_refused({.sm = "75", .device = "0x1eb8"}, {}, "E0203", "is not in the catalog");
  CHECK(built({.device = "0xffff"}, {.accelerator = "H200"}).accelerator.id == "H200");
  check_cluster_refused({}, {.accelerator = "H100-SXN"}, "E0203", "did you mean \"H100-SXM\"?");
  check_cluster_refused({}, {.nic = "ConnectX-7"}, "E0203", "--nic");
  check_cluster_refused({}, {.nic = "1 GbE"}, "E0346", "the NICs of the file run at 400 Gbit/s, 1 GbE at 1");
}

TEST_CASE("NICs of an unknown make are described by their rate, slower ones left out", "[tools][import]") {
  const Cluster cluster =
      built({.nic_device = "0x9999", .nic_speed = "100000"}, {.nodes = 2, .transport = Transport::roce});
  CHECK(cluster.spec.node.nic.empty());
  CHECK(cluster.nic_bandwidth == 100 * gigabit_per_second);
  const std::string slower = replaced(xml({}), "speed=\"400000\"", "speed=\"100000\"");
  const JsonValue document = cluster_of(topology(slower), {}, shipped_parts());
  CHECK(document.at_pointer("/node/nics")->as_integer() == 7);
  CHECK(document.at("source").as_text().find("only the 7 NICs of 400 Gbit/s") != std::string::npos);
}

TEST_CASE("several nodes need NICs, a transport, and a number that is possible", "[tools][import]") {
  check_cluster_refused({}, {.nodes = 2}, "E0203", "--transport");
  check_cluster_refused({.nics = false}, {.nodes = 2, .transport = Transport::roce}, "E0304", "no NICs");
  check_cluster_refused({}, {.nodes = -1}, "E0202", "--nodes");
  check_cluster_refused({}, {.nodes = 1 << 24}, "E0202", "--nodes");
  check_action_refused([] { cluster_of(topology(replaced(xml({}), "sm=\"90\"", "sm=\"80\"")), {}, shipped_parts()); },
                       "E0340", "differ");
}

TEST_CASE("hostile and broken topologies are refused with their place", "[tools][import]") {
  check_text_refused("", "E0101", "well-formed");
  check_text_refused("<cluster/>", "E0101", "<system> is missing");
  check_text_refused("<system><cpu>", "E0101", "topo.xml:1:");
  check_text_refused("<graphs version=\"1\"/>", "E0101", "graphs");
  check_text_refused("<!DOCTYPE a [<!ENTITY b \"c\">]><system/>", "E0101", "document type");
  check_text_refused("<system version=\"1\"><cpu numaid=\"0\"/></system>", "E0101", "no GPU");
  check_text_refused(replaced(xml({}), "sm=\"90\"", "sm=\"ninety\""), "E0201", "sm of <gpu>");
  check_text_refused(replaced(xml({}), "device=\"0x2330\"", "device=\"H100\""), "E0201", "hexadecimal");
  check_text_refused(replaced(xml({}), "count=\"10\"", "count=\"-10\""), "E0202", "from 1 to 1000");
  check_text_refused(replaced(xml({}), "count=\"10\"", ""), "E0104", "needs a target and a count");
  check_text_refused(replaced(xml({}), "speed=\"400000\"", "speed=\"9999999999999\""), "E0202", "speed of <net>");
  check_text_refused(replaced(xml({}), "0000:11:00.0", "0000:10:00.0"), "E0340", "two GPUs at 0000:10:00.0");
  std::string deep = "<system version=\"1\"><cpu>";
  for (int i = 0; i < 100; ++i) deep += "<pci>";
  for (int i = 0; i < 100; ++i) deep += "</pci>";
  check_text_refused(deep + "</cpu></system>", "E0501", "deeper");
  check_text_refused(std::string((4u << 20) + 1, ' '), "E0501", "larger");
  CHECK_THROWS_AS(read_nccl_topology(std::filesystem::path("no/such.xml")), ConfigError);
}

TEST_CASE("what is not known is passed over, and nothing is needed but addresses", "[tools][import]") {
  const std::string text = replaced(xml({}), "<gpu ", "<future a=\"1\"><pci/></future><gpu mystery=\"2\" ");
  CHECK(topology(text).gpus.size() == 8);
  const NodeTopology bare = topology("<system><cpu><pci><gpu/></pci><pci><nic><net/></nic></pci></cpu></system>");
  CHECK(bare.gpus.size() == 1);
  CHECK(bare.nics.size() == 1);
  CHECK_FALSE(bare.nics[0].rate);
}
