// SPDX-License-Identifier: Apache-2.0
#include "topology/nodes/node_links.hpp"

#include <stdexcept>

#include "support/catalog_nodes.hpp"
#include "support/catch.hpp"

using namespace clusterwright;
using clusterwright::testing::one_node;
using LinkClass = NodeLinks::LinkClass;

namespace {

double gb(BytesPerSecond rate) {
  return rate.in(gigabyte_per_second);
}

NodeLinks links_of(const std::string& part) {
  return one_node(part).links;
}

/// 4 A100 without bridges under 2 switches of one socket; slots and uplinks of PCIe 4, 31 GB/s.
NodeSpec four_under_two_switches() {
  NodeSpec spec;
  spec.accelerator = "A100-80-PCIe";
  spec.accelerators = 4;
  spec.nics = 2;
  spec.nic_rate = 200 * gigabit_per_second;
  spec.scale_up = ScaleUpWiring::none;
  spec.pcie.accelerators_per_switch = 2;
  spec.pcie.sockets = 1;
  return spec;
}

}  // namespace

TEST_CASE("behind NVSwitch every group and pair has all links of an H100", "[topology][node]") {
  const NodeLinks dgx = links_of("DGX H100");
  CHECK(dgx.reach() == 8);
  for (const int members : {2, 3, 8}) {
    CHECK(dgx.inner(members) == LinkClass::switched);
    CHECK(gb(dgx.ring_bandwidth(members)) == Approx(450));
    CHECK(gb(dgx.exchange_bandwidth(members)) == Approx(450));
  }
  CHECK(gb(dgx.pair_bandwidth(0, 7)) == Approx(450));
  CHECK(gb(dgx.network_bandwidth(8)) == Approx(50));  // 400 Gbit/s each; a slot would take 63 GB/s
  CHECK(dgx.nic_of(5) == 5);
}

TEST_CASE("in a mesh a group uses the links among its members", "[topology][node]") {
  const NodeLinks mi300x = links_of("MI300X 8-OAM server");
  CHECK(mi300x.inner(8) == LinkClass::mesh);
  CHECK(gb(mi300x.ring_bandwidth(8)) == Approx(448));  // 7 x 64
  CHECK(gb(mi300x.ring_bandwidth(4)) == Approx(192));  // 3 x 64
  CHECK(gb(mi300x.exchange_bandwidth(8)) == Approx(448));
  CHECK(gb(mi300x.pair_bandwidth(2, 6)) == Approx(64));
}

TEST_CASE("Gaudi ports that leave the node are no links inside it", "[topology][node]") {
  const NodeLinks gaudi2 = links_of("HLS-Gaudi2");
  CHECK(gb(gaudi2.ring_bandwidth(8)) == Approx(262.5));    // 7 x 3 x 100 Gbit/s
  CHECK(gb(gaudi2.network_bandwidth(8)) == Approx(37.5));  // 3 x 100 Gbit/s on the chip: more than its 31 GB/s slot
  CHECK(gaudi2.nic_of(2) == 6);
  const NodeLinks gaudi3 = links_of("Gaudi3 8-OAM server");
  CHECK(gb(gaudi3.ring_bandwidth(8)) == Approx(525));  // 7 x 3 x 200 Gbit/s
  CHECK(gb(gaudi3.network_bandwidth(8)) == Approx(75));
}

TEST_CASE("bridged pairs use their bridge and PCI Express beyond it", "[topology][node]") {
  const NodeLinks pairs = links_of("8 x A100-80-PCIe server");
  CHECK(pairs.inner(2) == LinkClass::switched);
  CHECK(pairs.inner(3) == LinkClass::pcie);
  CHECK(gb(pairs.ring_bandwidth(2)) == Approx(300));
  // 1 -> 2 and 3 -> 0 turn round in the switch of the first four.
  CHECK(gb(pairs.ring_bandwidth(4)) == Approx(31));
  // 3 -> 4 and 7 -> 0 cross between the sockets, one each way.
  CHECK(gb(pairs.ring_bandwidth(8)) == Approx(22));
  // 4 accelerators send a seventh to each of 4 on the other socket: 16/7 over 22 GB/s.
  CHECK(gb(pairs.exchange_bandwidth(8)) == Approx(22 * 7 / 16.0));
  CHECK(gb(pairs.pair_bandwidth(0, 1)) == Approx(300));
  CHECK(gb(pairs.pair_bandwidth(0, 2)) == Approx(31));
  CHECK(gb(pairs.pair_bandwidth(1, 4)) == Approx(22));
  CHECK(pairs.pcie_distance(0, 2) == PcieDistance::same_switch);
  CHECK(pairs.pcie_distance(0, 4) == PcieDistance::across_sockets);
  CHECK(gb(pairs.network_bandwidth(1)) == Approx(25));
  CHECK(gb(pairs.network_bandwidth(8)) == Approx(6.25));  // 4 share a NIC of 200 Gbit/s
  CHECK(pairs.nic_of(3) == 0);
  CHECK(pairs.nic_of(4) == 1);
}

TEST_CASE("strided groups of bridged pairs use the links between their own places", "[topology][node]") {
  const NodeLinks pairs = links_of("8 x A100-80-PCIe server");
  CHECK_FALSE(pairs.alike_everywhere());
  CHECK(pairs.inner({{2, 3}}) == LinkClass::switched);  // another bridge
  CHECK(pairs.inner({{1, 2}}) == LinkClass::pcie);      // two bridges
  CHECK(gb(pairs.ring_bandwidth({{0, 1}})) == Approx(300));
  CHECK(gb(pairs.ring_bandwidth({{0, 2}})) == Approx(31));  // one switch
  CHECK(gb(pairs.ring_bandwidth({{0, 4}})) == Approx(22));  // one link between the sockets, each way
  // GPUs 0 to 3 send to 4 to 7 at once: 4 flows on that link.
  CHECK(gb(pairs.ring_bandwidth({{0, 4}, {1, 5}, {2, 6}, {3, 7}})) == Approx(5.5));
  // 0 -> 2, 2 -> 0 beside 1 -> 3, 3 -> 1: each GPU has its own slot.
  CHECK(gb(pairs.ring_bandwidth({{0, 2}, {1, 3}})) == Approx(31));
  CHECK(gb(pairs.exchange_bandwidth({{0, 4}})) == Approx(22));
  CHECK(gb(pairs.exchange_bandwidth({{0, 4}, {1, 5}})) == Approx(11));
  for (const int members : {2, 3, 4, 8}) {
    CHECK(pairs.ring_bandwidth(first_places(members)) == pairs.ring_bandwidth(members));
    CHECK(pairs.exchange_bandwidth(first_places(members)) == pairs.exchange_bandwidth(members));
  }
  CHECK_THROWS_AS(pairs.ring_bandwidth(DomainPlaces{{0, 8}}), std::invalid_argument);
}

TEST_CASE("places do not matter where scale-up links join the whole node", "[topology][node]") {
  for (const char* const node : {"DGX H100", "MI300X 8-OAM server", "HLS-Gaudi2"}) {
    const NodeLinks links = links_of(node);
    CHECK(links.alike_everywhere());
    CHECK(links.ring_bandwidth({{0, 4}, {1, 5}}) == links.ring_bandwidth(2));
    CHECK(links.ring_bandwidth({{1, 3, 5, 7}}) == links.ring_bandwidth(4));
  }
}

TEST_CASE("a bridge limits an exchange when PCI Express is wide", "[topology][node]") {
  NodeSpec spec = four_under_two_switches();
  spec.scale_up.reset();
  spec.scale_up_rate = 10 * gigabyte_per_second;
  const NodeLinks links = one_node(spec).links;
  CHECK(gb(links.ring_bandwidth(4)) == Approx(10));         // half of the ring's edges are bridges
  CHECK(gb(links.exchange_bandwidth(4)) == Approx(23.25));  // a bridge at 10 x 3 = 30; uplinks at 31 x 3 / 4
  CHECK(gb(links.pair_bandwidth(0, 1)) == Approx(10));
}

TEST_CASE("eight consumer cards on root ports of two sockets", "[topology][node]") {
  const NodeLinks cards = links_of("8 x RTX-4090 server");
  CHECK(cards.inner(2) == LinkClass::pcie);
  CHECK(gb(cards.ring_bandwidth(4)) == Approx(31));
  CHECK(gb(cards.ring_bandwidth(8)) == Approx(22));
  CHECK(gb(cards.exchange_bandwidth(4)) == Approx(31));
  CHECK(gb(cards.exchange_bandwidth(8)) == Approx(22 * 7 / 16.0));
  CHECK(cards.pcie_distance(0, 3) == PcieDistance::same_socket);
  CHECK(cards.pcie_distance(3, 3) == PcieDistance::same);
  CHECK(cards.pcie_distance(3, 4) == PcieDistance::across_sockets);
  CHECK(gb(cards.network_bandwidth(1)) == Approx(3.125));
  CHECK(gb(cards.network_bandwidth(8)) == Approx(3.125 / 8));
  CHECK(cards.nic_of(7) == 0);
}

TEST_CASE("accelerators of one switch share its uplink", "[topology][node]") {
  const NodeLinks links = one_node(four_under_two_switches()).links;
  CHECK(gb(links.ring_bandwidth(4)) == Approx(31));         // one edge leaves each switch, one enters
  CHECK(gb(links.exchange_bandwidth(4)) == Approx(23.25));  // 2 x 2 x 1/3 over each uplink
  CHECK(gb(links.exchange_bandwidth(2)) == Approx(31));
  CHECK(links.pcie_distance(0, 1) == PcieDistance::same_switch);
  CHECK(links.pcie_distance(1, 2) == PcieDistance::same_socket);

  NodeSpec staged = four_under_two_switches();
  staged.pcie.peer_to_peer = false;  // every edge of the ring climbs to host memory: 2 over each uplink
  CHECK(gb(one_node(staged).links.ring_bandwidth(4)) == Approx(15.5));
  CHECK(gb(one_node(staged).links.exchange_bandwidth(4)) == Approx(15.5));
  CHECK(gb(one_node(staged).links.pair_bandwidth(0, 1)) == Approx(31));
}

TEST_CASE("NICs at the host bridge are reached over the uplinks", "[topology][node]") {
  NodeSpec spec = four_under_two_switches();
  spec.nic_rate = 400 * gigabit_per_second;
  CHECK(gb(one_node(spec).links.network_bandwidth(4)) == Approx(25));  // two share 50 GB/s beside them
  CHECK(gb(one_node(spec).links.network_bandwidth(1)) == Approx(31));  // a slot
  spec.pcie.nics = NicAttachment::host_bridge;
  CHECK(gb(one_node(spec).links.network_bandwidth(4)) == Approx(15.5));  // two share an uplink of 31 GB/s
}

TEST_CASE("a single NIC is far from the other socket", "[topology][node]") {
  NodeSpec spec;
  spec.part = "8 x RTX-4090 server";
  spec.nic_rate = 400 * gigabit_per_second;
  // 4 cross to its socket: 22 / 4 is less than their share of it, 50 / 8.
  CHECK(gb(one_node(spec).links.network_bandwidth(8)) == Approx(5.5));
  CHECK(gb(one_node(spec).links.network_bandwidth(4)) == Approx(12.5));
}

TEST_CASE("more NICs than accelerators are dealt out evenly", "[topology][node]") {
  const NodeLinks p5 = links_of("AWS p5.48xlarge");
  CHECK(gb(p5.network_bandwidth(8)) == Approx(50));  // 4 x 100 Gbit/s
  CHECK(gb(p5.network_bandwidth(1)) == Approx(50));
  CHECK(p5.nic_of(3) == 12);
}

TEST_CASE("the trays of a rack act as one machine", "[topology][node]") {
  const NodeGroup tray = one_node("GB200 compute tray");
  CHECK(tray.node_accelerators == 4);
  CHECK(tray.domain == 72);
  CHECK(tray.links.reach() == 72);
  CHECK(tray.links.inner(72) == LinkClass::switched);
  CHECK(gb(tray.links.ring_bandwidth(72)) == Approx(900));
  CHECK(gb(tray.links.pair_bandwidth(0, 71)) == Approx(900));
  CHECK(gb(tray.links.network_bandwidth(72)) == Approx(50));  // 4 NICs for the 4 of a tray
  CHECK_THROWS_AS(tray.links.ring_bandwidth(73), std::invalid_argument);
  CHECK_THROWS_AS(tray.links.pcie_distance(0, 4), std::invalid_argument);
}

TEST_CASE("a torus inside a node uses the sides that a group covers", "[topology][node]") {
  const NodeLinks trn2 = links_of("AWS trn2.48xlarge");  // 4 x 4, 128 GB/s a link
  CHECK(trn2.inner(16) == LinkClass::torus);
  CHECK(gb(trn2.ring_bandwidth(16)) == Approx(4 * 128));
  CHECK(gb(trn2.ring_bandwidth(4)) == Approx(2 * 128));  // one line, closed
  CHECK(gb(trn2.ring_bandwidth(2)) == Approx(128));      // a part of a line
  CHECK(gb(trn2.ring_bandwidth(8)) ==
        Approx(3 * 128));  // two lines: rings along one side, single links along the other
  // 16 x 4 / 8 = 8 bytes over each link when all send a byte to each of 15 others.
  CHECK(gb(trn2.exchange_bandwidth(16)) == Approx(128 * 15 / 8.0));
  CHECK(gb(trn2.exchange_bandwidth(4)) == Approx(128 * 3 / 2.0));
  CHECK(gb(trn2.pair_bandwidth(0, 1)) == Approx(128));
  CHECK(gb(links_of("TPU v4 rack").ring_bandwidth(64)) == Approx(270));  // 6 x 45
}

TEST_CASE("a group of two is a pair, however it is wired", "[topology][node]") {
  for (const int per_switch : {0, 1, 2, 4})
    for (const int sockets : {1, 2, 4})
      for (const bool peer_to_peer : {true, false}) {
        NodeSpec spec = four_under_two_switches();
        spec.pcie = {per_switch, sockets, {}, {}, {}, {}, peer_to_peer};
        const NodeLinks links = one_node(spec).links;
        INFO(per_switch << " per switch, " << sockets << " sockets");
        CHECK(links.ring_bandwidth(2) == links.exchange_bandwidth(2));
        CHECK(links.ring_bandwidth(2) <= links.pair_bandwidth(0, 1));
        CHECK(links.exchange_bandwidth(4) <= links.ring_bandwidth(1));
      }
}

TEST_CASE("groups and pairs that are not there are refused", "[topology][node]") {
  const NodeLinks dgx = links_of("DGX H100");
  CHECK_THROWS_AS(dgx.ring_bandwidth(0), std::invalid_argument);
  CHECK_THROWS_AS(dgx.exchange_bandwidth(9), std::invalid_argument);
  CHECK_THROWS_AS(dgx.pair_bandwidth(1, 1), std::invalid_argument);
  CHECK_THROWS_AS(dgx.pair_bandwidth(0, 8), std::invalid_argument);
  CHECK_THROWS_AS(dgx.nic_of(8), std::invalid_argument);
  CHECK_THROWS_AS(links_of("TPU v4 rack").nic_of(0), std::invalid_argument);
  CHECK(links_of("TPU v4 rack").network_bandwidth(64) == BytesPerSecond{});
}

TEST_CASE("in a torus a message has been everywhere after half of every ring", "[topology][node]") {
  const NodeLinks slice = links_of("TPU v5p host of a 8x8x8 slice");
  CHECK(slice.inner_steps(8) == 4);        // one ring of 8
  CHECK(slice.inner_steps(64) == 4 + 4);   // a plane
  CHECK(slice.inner_steps(512) == 3 * 4);  // the cube
  CHECK(slice.inner_steps(4) == 3);        // a line: no links close it
  CHECK(links_of("DGX H100").inner_steps(8) == 7);
}

TEST_CASE("a larger block of a torus has more links to each member", "[topology][node]") {
  const NodeLinks slice = links_of("TPU v5p host of a 8x8x8 slice");
  CHECK(gb(slice.ring_bandwidth(8)) == Approx(2 * 90));
  CHECK(gb(slice.ring_bandwidth(64)) == Approx(4 * 90));
  CHECK(gb(slice.ring_bandwidth(512)) == Approx(6 * 90));
  // Each of 8 sends an eighth to each other: 8 places x 8^2 / 8 hops over two directions = 8 / 8 x 8 bytes on a link.
  CHECK(gb(slice.exchange_bandwidth(8)) == Approx(90 * 7.0 / 8));
  CHECK(gb(slice.exchange_bandwidth(512)) < gb(slice.ring_bandwidth(512)));
}

TEST_CASE("Gaudi 3 has 7 x 3 ports inside its server and 3 outside", "[topology][node]") {
  const NodeLinks gaudi3 = links_of("Gaudi3 8-OAM server");
  CHECK(gb(gaudi3.ring_bandwidth(8)) == Approx(21 * 25));
  CHECK(gb(gaudi3.ring_bandwidth(1)) == Approx(21 * 25));
  CHECK(gb(gaudi3.pair_bandwidth(0, 5)) == Approx(3 * 25));
  CHECK(gb(gaudi3.network_bandwidth(8)) == Approx(3 * 25));
}

TEST_CASE("a wafer has no network inside", "[topology][node]") {
  const NodeGroup cs3 = one_node("CS-3");
  CHECK(cs3.domain == 1);
  CHECK(cs3.links.reach() == 1);
  CHECK(gb(cs3.links.network_bandwidth(1)) == Approx(150));  // 12 x 100 Gbit/s
}
