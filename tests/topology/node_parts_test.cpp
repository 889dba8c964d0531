// SPDX-License-Identifier: Apache-2.0
#include "topology/nodes/node_parts.hpp"

#include "support/catalog_nodes.hpp"
#include "support/catch.hpp"

using namespace clusterwright;
using clusterwright::testing::one_node;
using clusterwright::testing::shipped_parts;

namespace {

NodeSpec filled(const std::string& part) {
  NodeSpec spec;
  spec.part = part;
  return fill_in(spec, shipped_parts());
}

}  // namespace

TEST_CASE("a part gives what a node leaves out", "[topology][node]") {
  const NodeSpec dgx = filled("DGX H100");
  CHECK(dgx.accelerator == "H100-SXM");
  CHECK(dgx.accelerators == 8);
  CHECK(dgx.nic == "ConnectX-7 NDR");
  CHECK(dgx.nics == 8);
  CHECK(dgx.pcie.accelerators_per_switch == 1);
}

TEST_CASE("what a node says itself goes before its part", "[topology][node]") {
  NodeSpec spec;
  spec.part = "DGX H100";
  spec.nics = 4;
  spec.nic = "ConnectX-6 HDR";
  spec.pcie.sockets = 1;
  spec.host_power = {0 * watt, "user"};
  const NodeSpec node = fill_in(spec, shipped_parts());
  CHECK(node.nics == 4);
  CHECK(node.nic == "ConnectX-6 HDR");
  CHECK(node.pcie.sockets == 1);
  CHECK(node.pcie.accelerators_per_switch == 1);  // one field does not replace the others
  CHECK(node.host_power.value == Watts{});
}

TEST_CASE("host power is what is left of a node's power under load", "[topology][node]") {
  // typical 7,750 W less 8 x 0.9 x 700 W
  const Sourced<Watts> dgx = filled("DGX H100").host_power;
  CHECK(dgx.value.in(watt) == Approx(2710));
  CHECK_FALSE(dgx.verified);
  CHECK(dgx.source == "derived: typical power of DGX H100, 7750 W, minus 8 x 630 W of accelerators at 0.9 of theirs");
  // no typical power: 0.76 x 10 kW less 8 x 0.9 x 750 W
  CHECK(filled("MI300X 8-OAM server").host_power.value.in(watt) == Approx(2200));
  CHECK(filled("CS-3").host_power.value == Watts{});  // the machine's rating is that of its accelerator
  CHECK(filled("GB200 NVL72 rack").host_power.value.in(kilowatt) == Approx(33.6));  // its own entry
}

TEST_CASE("unknown power counts as nothing and says so", "[topology][node]") {
  NodePart part;
  part.id = "X";
  const Sourced<Watts> power = host_power(part, nullptr);
  CHECK(power.value == Watts{});
  CHECK(power.source.find("not known") != std::string::npos);
}

TEST_CASE("every node of the catalog can stand in a cluster by its name alone", "[topology][node]") {
  for (const NodePart& part : shipped_parts().nodes) {
    INFO(part.id);
    REQUIRE(shipped_parts().find_accelerator(part.accelerator_id));
    if (!part.nic_id.empty()) CHECK(shipped_parts().find_nic(part.nic_id));
    REQUIRE(part.accelerator_count);
    REQUIRE(part.nic_count);
    CHECK(part.nic_id.empty() == (part.nic_count->value == 0));
    const NodeGroup node = one_node(part.id);
    CHECK(node.node_accelerators == part.accelerator_count->value);
    CHECK(node.domain >= node.node_accelerators);
    if (node.domain > 1) CHECK(node.links.ring_bandwidth(node.domain) > BytesPerSecond{});
    if (node.nics > 0) {
      const BytesPerSecond share = node.nic_bandwidth * node.nics / node.node_accelerators;
      CHECK(node.links.network_bandwidth(node.node_accelerators) <= share * 1.000001);
      CHECK(node.links.network_bandwidth(node.node_accelerators) > BytesPerSecond{});
    }
    CHECK(node.host_power.source != "default");
  }
}

TEST_CASE("a domain ends at the node unless the accelerator's entry says more", "[topology][node]") {
  NodeSpec spec;
  spec.accelerator = "H100-SXM";
  spec.accelerators = 4;
  CHECK(one_node(spec).domain == 4);
  CHECK(one_node(spec).links.wiring().domain == 4);
  spec.accelerator = "GB200-GPU";
  CHECK(one_node(spec).domain == 72);
  spec.scale_up_domain = 36;
  CHECK(one_node(spec).domain == 36);
}

TEST_CASE("switches reduce where the entry says so and they join the whole domain", "[topology][node]") {
  CHECK(one_node("DGX H100").switch_reduction);
  CHECK(one_node("GB200 compute tray").switch_reduction);
  CHECK_FALSE(one_node("DGX A100").switch_reduction);
  CHECK_FALSE(one_node("8 x A100-80-PCIe server").switch_reduction);
  NodeSpec spec;
  spec.part = "DGX H100";
  spec.scale_up_domain = 4;  // two halves
  CHECK_FALSE(one_node(spec).switch_reduction);
}

TEST_CASE("cloud instances have the network that their provider states", "[topology][node]") {
  const auto gbit = [](const std::string& part) {
    const NodeGroup node = one_node(part);
    return (node.nic_bandwidth * node.nics).in(gigabit_per_second);
  };
  CHECK(gbit("AWS p4d.24xlarge") == Approx(400));
  CHECK(gbit("AWS p5.48xlarge") == Approx(3200));
  CHECK(gbit("AWS p5en.48xlarge") == Approx(3200));
  CHECK(gbit("AWS trn2.48xlarge") == Approx(3200));
  CHECK(gbit("Azure ND96asr A100 v4") == Approx(1600));
  CHECK(gbit("Azure ND96isr H100 v5") == Approx(3200));
  CHECK(gbit("Google a2-highgpu-8g") == Approx(100));
  CHECK(gbit("Google a3-highgpu-8g") == Approx(800));
  CHECK(gbit("Google a3-megagpu-8g") == Approx(1600));
  CHECK(gbit("Google a3-ultragpu-8g") == Approx(3200));
}
