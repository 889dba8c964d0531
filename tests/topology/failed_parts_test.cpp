// SPDX-License-Identifier: Apache-2.0
// Names of failed parts, and the nodes that they cut off.
#include "support/catch.hpp"
#include "support/small_fabrics.hpp"
#include "topology/cluster/lost_device.hpp"
#include "topology/routing/cut_off_nodes.hpp"
#include "topology/routing/fault_names.hpp"
#include "topology/routing/faults.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Four nodes with two NICs each, on two leaves for each rail.
RoutedNetwork with_failures(RailLayout rails, const std::vector<std::string>& faults) {
  return route_network(fat_tree({{4}, {8}}, rails), {4, 2, 2, nic_400g}, {}, faults, {});
}

}  // namespace

TEST_CASE("the name of every cable and switch is read back as the same part", "[topology][failed_parts]") {
  RoutedNetwork network = with_failures(RailLayout::joined, {});
  for (const LinkId link : network.graph.cable_ids()) {
    NetworkGraph graph = network.graph;
    const std::string name = fault_name(graph, link);
    INFO(name);
    apply_fault(graph, parse_fault(name));
    CHECK_FALSE(graph.works(link));
    int failed = 0;
    for (const LinkId other : graph.cable_ids()) failed += graph.works(other) ? 0 : 1;
    CHECK(failed == 1);
  }
  CHECK(fault_name(network.graph, network.graph.endpoint(NodeId(3), 1)) == "node:3.1");
  CHECK(fault_name(network.graph, network.graph.tiers().back().first) == network.graph.tiers().back().name + ":0");
}

TEST_CASE("a NIC cuts its node off in rail planes only, since another NIC stands in elsewhere",
          "[topology][failed_parts]") {
  CHECK(cut_off_nodes(with_failures(RailLayout::joined, {})).empty());
  CHECK(cut_off_nodes(with_failures(RailLayout::joined, {"node:2.0"})).empty());
  CHECK(cut_off_nodes(with_failures(RailLayout::planes, {"node:2.0"})) == std::vector{NodeId(2)});
  // Both NICs of node 1: nothing is left on either layout.
  CHECK(cut_off_nodes(with_failures(RailLayout::joined, {"node:1.0", "node:1.1"})) == std::vector{NodeId(1)});
}

TEST_CASE("dead devices are read by number", "[topology][failed_parts]") {
  CHECK(parse_lost_device("gpu:12")->number == 12);
  CHECK_FALSE(parse_lost_device("gpu:12")->node);
  CHECK(parse_lost_device("node:5")->node);
  for (const char* other : {"node:5.3", "gpu:", "gpu:-1", "gpu:1x", "gpu:3=0.5", "spine:2", "node", ""})
    CHECK_FALSE(parse_lost_device(other).has_value());
}
