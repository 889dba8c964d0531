// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/communicator.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/ids.hpp"
#include "support/small_groups.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

GroupRequest request(int ranks, int groups, NodePolicy policy = NodePolicy::contiguous, int stride = 0) {
  GroupRequest r;
  r.ranks = ranks;
  r.groups = groups;
  r.policy = policy;
  r.stride = stride;
  return r;
}

Diagnostic error_of(const GroupRequest& r, const Cluster& cluster) {
  try {
    make_groups(r, cluster);
  } catch (const ConfigError& error) {
    return error.diagnostics().at(0);
  }
  FAIL("accepted");
  return {};
}

std::vector<NodeId> nodes_of(const Communicator& group, std::size_t per_node) {
  std::vector<NodeId> nodes;
  for (const AcceleratorId accelerator : group)
    if (const NodeId node(accelerator.value / per_node); nodes.empty() || nodes.back() != node) nodes.push_back(node);
  return nodes;
}

/// 4 nodes of 4.
Cluster small() {
  return group_cluster({.nodes = 4, .per_node = 4, .nics = 4});
}

}  // namespace

TEST_CASE("contiguous groups fill node after node", "[models][communicator]") {
  const auto groups = make_groups(request(6, 2), small());
  REQUIRE(groups.size() == 2);
  CHECK(groups[0] == accelerators({0, 1, 2, 3, 4, 5}));
  CHECK(groups[1] == accelerators({6, 7, 8, 9, 10, 11}));
}

TEST_CASE("rail groups take one position of every node", "[models][communicator]") {
  const auto groups = make_groups(request(4, 2, NodePolicy::rail), small());
  CHECK(groups[0] == accelerators({0, 4, 8, 12}));
  CHECK(groups[1] == accelerators({1, 5, 9, 13}));
}

TEST_CASE("groups with a stride interleave, block by block", "[models][communicator]") {
  const auto groups = make_groups(request(2, 0, NodePolicy::contiguous, 2), small());
  REQUIRE(groups.size() == 8);
  CHECK(groups[0] == accelerators({0, 2}));
  CHECK(groups[1] == accelerators({1, 3}));
  CHECK(groups[2] == accelerators({4, 6}));
  CHECK(make_groups(request(2, 1, NodePolicy::contiguous, 8), small())[0] == accelerators({0, 8}));
}

TEST_CASE("as many groups as fit", "[models][communicator]") {
  CHECK(make_groups(request(3, 0), small()).size() == 5);
  CHECK(make_groups(request(4, 0, NodePolicy::rail), small()).size() == 4);
  // Three ranks 4 apart reach over 12 accelerators; the rest of 4 holds none.
  CHECK(make_groups(request(3, 0, NodePolicy::rail), small()).size() == 4);
  CHECK(make_groups(request(2, 0, NodePolicy::rail), small()).size() == 8);
}

TEST_CASE("a rail of racks that act as one takes one position of each rack", "[models][communicator]") {
  const Cluster cluster = group_cluster({.nodes = 4, .per_node = 4, .nics = 4, .domain = 8});
  REQUIRE(cluster.domain == 8);
  CHECK(make_groups(request(2, 1, NodePolicy::rail), cluster)[0] == accelerators({0, 8}));
}

TEST_CASE("listed nodes are used in the order of the list", "[models][communicator]") {
  GroupRequest r = request(6, 1, NodePolicy::hostlist);
  r.nodes = nodes({2, 0});
  CHECK(make_groups(r, small())[0] == accelerators({8, 9, 10, 11, 0, 1}));
  r.policy = NodePolicy::optimised;
  CHECK(make_groups(r, small())[0] == accelerators({0, 1, 2, 3, 8, 9}));
}

TEST_CASE("scattered nodes come in order, shuffled ones do not, and the seed decides", "[models][communicator]") {
  const Cluster cluster = group_cluster({.nodes = 256, .per_node = 4, .nics = 4});
  GroupRequest r = request(128, 1, NodePolicy::scattered);
  const auto scattered = nodes_of(make_groups(r, cluster)[0], 4);
  REQUIRE(scattered.size() == 32);
  CHECK(std::is_sorted(scattered.begin(), scattered.end()));
  CHECK(scattered.back() > 31_node);  // not simply the first ones
  r.policy = NodePolicy::shuffled;
  auto shuffled = nodes_of(make_groups(r, cluster)[0], 4);
  CHECK_FALSE(std::is_sorted(shuffled.begin(), shuffled.end()));
  std::sort(shuffled.begin(), shuffled.end());
  CHECK(shuffled == scattered);
  r.policy = NodePolicy::optimised;
  CHECK(nodes_of(make_groups(r, cluster)[0], 4) == scattered);
  r.seed = 1;
  CHECK(nodes_of(make_groups(r, cluster)[0], 4) != scattered);
}

TEST_CASE("other jobs hold 70 % of a busy cluster, unless the job needs more of it", "[models][communicator]") {
  const std::vector<NodeId> few = scattered_nodes(1000, 300, 7);
  CHECK(few.size() == 300);  // all that is left
  CHECK(scattered_nodes(1000, 299, 7).size() == 299);
  CHECK(scattered_nodes(1000, 600, 7).size() == 600);
  CHECK(scattered_nodes(1000, 1000, 7) == numbered_nodes(1000));
  CHECK(scattered_nodes(1, 1, 7) == nodes({0}));
  int gaps = 0;
  for (std::size_t i = 1; i < few.size(); ++i) gaps += few[i] > few[i - 1] + 1 ? 1 : 0;
  CHECK(gaps >= 2);
}

TEST_CASE("over a torus the near order goes there and back", "[models][communicator]") {
  const Cluster torus = group_cluster({.nodes = 16, .per_node = 2, .nics = 2, .torus = {4, 4}});
  const std::vector<NodeId> given = nodes({0, 5, 10, 15, 1, 6, 11, 12, 2, 7, 8, 13, 3, 4, 9, 14});
  const std::vector<NodeId> near = near_order(given, torus);
  CHECK(ring_links(near, torus) == 16);                    // one link from each node to the next
  CHECK(ring_links(numbered_nodes(16), torus) == 12 + 8);  // and two from row to row, once around
  CHECK(std::set<NodeId>(near.begin(), near.end()).size() == 16);
}

TEST_CASE("in a tree the near order goes by number", "[models][communicator]") {
  const Cluster tree = group_cluster({.nodes = 8, .per_node = 4, .nics = 4});
  CHECK(near_order(nodes({7, 0, 6, 1}), tree) == nodes({0, 1, 6, 7}));
  CHECK(ring_links(nodes({0, 1, 6, 7}), tree) == 2 + 4 + 2 + 4);
  CHECK(ring_links(nodes({0, 6, 1, 7}), tree) == 16);
}

TEST_CASE("what does not fit is named", "[models][communicator]") {
  CHECK(error_of(request(1, 1), small()).code == "E0330");
  const Diagnostic large = error_of(request(6, 3), small());
  CHECK(large.code == "E0333");
  CHECK(large.message == "the groups need 18 accelerators, but the cluster has 16");
  CHECK(error_of(request(5, 1, NodePolicy::rail), small()).code == "E0333");
  CHECK(error_of(request(2, 1, NodePolicy::contiguous, 3), small()).code == "E0334");
  CHECK(error_of(request(17, 0), small()).code == "E0333");
}

TEST_CASE("a list of nodes must name each of the cluster's at most once", "[models][communicator]") {
  GroupRequest r = request(6, 1, NodePolicy::hostlist);
  r.nodes = nodes({0, 4});
  CHECK(error_of(r, small()).code == "E0335");
  CHECK(error_of(r, small()).help == "the nodes are 0 to 3");
  r.nodes = nodes({2, 2});
  CHECK(error_of(r, small()).message == "node 2 is listed twice");
  r.nodes = nodes({2});
  CHECK(error_of(r, small()).message == "the groups need 6 accelerators, but the listed nodes have 4");
}

TEST_CASE("domains appear in rank order and keep it", "[models][communicator]") {
  const auto shares = by_domain(accelerators({9, 1, 8, 0}), 4);
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].domain == 2);
  CHECK(shares[0].members == accelerators({9, 8}));
  CHECK(shares[1].members == accelerators({1, 0}));
}

TEST_CASE("places count nodes and domains of several kinds through", "[models][communicator]") {
  Cluster cluster = small();  // 4 nodes of 4, then 2 nodes of 2
  NodeGroup second = cluster.groups.front();
  second.first_node = 4_node, second.nodes = 2, second.node_accelerators = 2, second.domain = 2;
  cluster.groups.push_back(second);
  cluster.spec.accelerators = 20;
  const AcceleratorPlace place = place_of(19_acc, cluster);
  CHECK(place.node == 5_node);
  CHECK(place.position == 1);
  CHECK(place.domain == 5);
  CHECK(place.offset == 1);
  CHECK(by_domain(accelerators({15, 16, 17, 18}), cluster).size() == 3);
  CHECK_THROWS_AS(place_of(20_acc, cluster), std::invalid_argument);
  GroupRequest r = request(4, 1, NodePolicy::hostlist);
  r.nodes = nodes({5, 3});
  CHECK(make_groups(r, cluster)[0] == accelerators({18, 19, 12, 13}));
}
