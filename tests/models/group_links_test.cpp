// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/group_links.hpp"

#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

Cluster shipped(const std::string& name) {
  const auto folder = std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "clusters";
  const JsonValue document = read_json_file(folder / (name + ".json"));
  return build_cluster(decode_record<ClusterSpec>(document), parts(), document);
}

/// Of 8 H100 or A100.
ClusterSpec two_nodes(bool hopper) {
  SmallCase small;
  small.hopper = hopper;
  small.data = 16;
  return small_cluster(small);
}

GroupLinks whole_nodes(const Cluster& cluster, int nodes) {
  return group_links(cluster, {nodes, cluster.domain}, 2 * microsecond);
}

}  // namespace

TEST_CASE("a node of 8 H100 has its data sheet's links", "[models][collectives]") {
  const GroupLinks links = whole_nodes(shipped("h100-superpod"), 4);
  CHECK(links.scale_up.in(gigabyte_per_second) == Approx(450));
  CHECK(links.network_per_rank.in(gigabyte_per_second) == Approx(50));
  CHECK(links.switch_latency.ring.in(microsecond) == Approx(2));
  CHECK(links.switch_reduction);
  CHECK(links.nvlink);
  CHECK_FALSE(links.sharp);
  CHECK(links.generation == NcclGeneration::hopper);
}

TEST_CASE("accelerators share the NICs of their node", "[models][collectives]") {
  ClusterSpec spec = two_nodes(true);
  spec.node.nics = 2;
  const Cluster cluster = build_cluster(spec, parts(), JsonValue::object());
  CHECK(whole_nodes(cluster, 2).network_per_rank.in(gigabyte_per_second) == Approx(2 * 50.0 / 8));
}

TEST_CASE("A100 nodes reduce in no switch", "[models][collectives]") {
  const GroupLinks links = whole_nodes(shipped("a100-superpod"), 2);
  CHECK(links.generation == NcclGeneration::ampere);
  CHECK_FALSE(links.switch_reduction);
  CHECK(links.network_per_rank.in(gigabyte_per_second) == Approx(25));
}

TEST_CASE("cards without scale-up links talk over PCI Express", "[models][collectives]") {
  const GroupLinks links = whole_nodes(shipped("rtx4090-server"), 1);
  CHECK_FALSE(links.nvlink);
  CHECK(links.scale_up > BytesPerSecond{});
  CHECK(links.scale_up.in(gigabyte_per_second) < 32);
}

TEST_CASE("a rack that acts as one node joins all its members", "[models][collectives]") {
  const Cluster rack = shipped("gb200-nvl72");
  CHECK(rack.domain == 72);
  CHECK(whole_nodes(rack, 1).scale_up.in(gigabyte_per_second) == Approx(900));
}

TEST_CASE("a group on two kinds of nodes keeps step with the slower", "[models][collectives]") {
  const Cluster mixed = shipped("mixed-h100-a100");
  const int first = mixed.groups.front().accelerators();
  const auto links = [&](int from) {
    std::vector<AcceleratorId> accelerators;
    for (int a = 0; a < 16; ++a) accelerators.push_back(AcceleratorId(static_cast<std::size_t>(from + a)));
    return group_links(mixed, accelerators, {2, 8}, Seconds{});
  };
  CHECK(links(0).generation == NcclGeneration::hopper);
  CHECK(links(0).switch_reduction);
  const GroupLinks both = links(first - 8);
  CHECK(both.generation == NcclGeneration::ampere);
  CHECK_FALSE(both.switch_reduction);
  CHECK(both.scale_up.in(gigabyte_per_second) == Approx(300));
  CHECK(both.network_per_rank <= links(0).network_per_rank);
}

TEST_CASE("a group that lies on the second kind of nodes alone has that kind's links", "[models][collectives]") {
  ClusterSpec spec = two_nodes(false);
  spec.accelerators = 32;
  MixedNodesSpec hopper;
  hopper.accelerators = 16;
  hopper.node = two_nodes(true).node;
  spec.also = {hopper};
  const Cluster mixed = build_cluster(spec, parts(), JsonValue::object());
  std::vector<AcceleratorId> second;
  for (std::size_t a = 16; a < 32; ++a) second.push_back(AcceleratorId(a));
  CHECK(group_links(mixed, second, {2, 8}, Seconds{}).generation == NcclGeneration::hopper);
  CHECK(group_links(mixed, second, {2, 8}, Seconds{}).scale_up.in(gigabyte_per_second) == Approx(450));
}
