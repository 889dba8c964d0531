// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/slow_devices.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sim/diagnostic.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

/// 8 nodes of 8 accelerators, all of the job unless told otherwise.
Cluster eight_nodes(std::vector<int> places = {}, int machine_nodes = 0) {
  Cluster cluster;
  cluster.groups.resize(1);
  cluster.spec.accelerators = 64;
  cluster.blocks = full_domains(64, 8);
  if (places.empty()) return cluster;
  cluster.request.placement = PlacementSpec{PlacementOrder::packed, machine_nodes, places, 0};
  cluster.blocks.places = std::make_shared<const std::vector<int>>(std::move(places));
  return cluster;
}

std::vector<SlowWish> wishes(const std::vector<std::string>& texts) {
  std::vector<SlowWish> out;
  for (const std::string& text : texts) out.push_back(parse_slow(text));
  return out;
}

std::set<int> slowed(const std::vector<std::string>& texts, const Cluster& cluster, int among = 64,
                     std::uint64_t seed = 0) {
  std::set<int> out;
  for (const SlowAcceleratorSpec& slow : draw_slow(wishes(texts), cluster, among, seed)) {
    CHECK_FALSE(slow.clock);
    CHECK(out.insert(slow.accelerator).second);
  }
  return out;
}

std::string slow_refusal(const std::vector<std::string>& texts, const Cluster& cluster) {
  try {
    draw_slow(wishes(texts), cluster, 64, 0);
  } catch (const ConfigError& error) {
    CHECK(error.diagnostics().front().code == "E0336");
    CHECK(error.diagnostics().front().places.size() == 1);
    return error.diagnostics().front().message;
  }
  return {};
}

Diagnostic unread(const std::string& text) {
  try {
    parse_slow(text);
  } catch (const ConfigError& error) {
    return error.diagnostics().front();
  }
  return {};
}

std::set<int> accelerators_of_node(int node) {
  std::set<int> out;
  for (int i = 0; i < 8; ++i) out.insert(8 * node + i);
  return out;
}

}  // namespace

TEST_CASE("a slow device is read from its words", "[topology][slow]") {
  const SlowWish node = parse_slow("node:5%");
  CHECK(node.node);
  CHECK(node.count == 1);
  CHECK_FALSE(node.number);
  CHECK(node.relative_clock == Approx(0.95));
  const SlowWish gpus = parse_slow("16xgpu:2.5%");
  CHECK_FALSE(gpus.node);
  CHECK(gpus.count == 16);
  CHECK(gpus.relative_clock == Approx(0.975));
  CHECK(parse_slow("node.12:5%").number == 12);
  CHECK(parse_slow("node.12:500W").power_limit == 500 * watt);
  CHECK_FALSE(parse_slow("node.12:5%").power_limit);
  CHECK(parse_slow("gpu.0:95%").relative_clock == Approx(0.05));
}

TEST_CASE("words that name no slow device are refused with an example", "[topology][slow]") {
  for (const std::string text :
       {"", "node", "node:", "node:5", "node5%", "rack:5%", "0xnode:5%", "-1xnode:5%", "xnode:5%", "node.:5%",
        "node.-1:5%", "2xnode.3:5%", "node:5%%", "node:x%", " node:5%", "99999999999xgpu:5%", "node:5kW", "node:W"}) {
    CAPTURE(text);
    CHECK(unread(text).code == "E0336");
    CHECK(unread(text).message == "cannot read \"" + text + "\"");
    CHECK(unread(text).help == "write node:5%, 16xgpu:3% or node.12:5%: what is slow, and by how much");
  }
  for (const std::string text : {"node:0%", "node:-5%", "node:96%", "node:nan%", "node:inf%"}) {
    CAPTURE(text);
    CHECK(unread(text).message.starts_with("must be above 0 % and at most 95 %"));
  }
}

TEST_CASE("a slow node slows all its accelerators, and a seed always draws the same one", "[topology][slow]") {
  const Cluster cluster = eight_nodes();
  CHECK(slowed({"node.2:5%"}, cluster) == accelerators_of_node(2));
  std::set<std::set<int>> drawn;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::set<int> one = slowed({"node:5%"}, cluster, 64, seed);
    CHECK(one == accelerators_of_node(*one.begin() / 8));
    CHECK(one == slowed({"node:5%"}, cluster, 64, seed));
    drawn.insert(one);
  }
  CHECK(drawn.size() == 8);
}

TEST_CASE("no device is slow twice", "[topology][slow]") {
  Cluster cluster = eight_nodes();
  CHECK(slowed({"64xgpu:3%"}, cluster).size() == 64);
  CHECK(slowed({"3xnode:5%", "40xgpu:3%"}, cluster).size() == 64);
  // What is named is set aside before anything is drawn, whatever the order of the words.
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    CHECK(slowed({"7xnode:5%", "node.3:2%"}, cluster, 64, seed).size() == 64);
  cluster.spec.slow = {{13, 0.9, {}}};  // in node 1
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CHECK_FALSE(slowed({"63xgpu:3%"}, cluster, 64, seed).contains(13));
    CHECK_FALSE(slowed({"7xnode:3%"}, cluster, 64, seed).contains(8));
  }
}

TEST_CASE("devices that are not there or slow already are refused", "[topology][slow]") {
  Cluster cluster = eight_nodes();
  CHECK(slow_refusal({"9xnode:5%"}, cluster) == "9 nodes cannot be slow, the job has 8");
  CHECK(slow_refusal({"65xgpu:5%"}, cluster) == "65 accelerators cannot be slow, the job has 64");
  CHECK(slow_refusal({"8xnode:5%", "gpu:2%"}, cluster) == "1 accelerator cannot be slow, the job has 0 others");
  CHECK(slow_refusal({"node.8:5%"}, cluster) == "the job does not use node 8, or it is slow already");
  CHECK(slow_refusal({"gpu.9:5%", "node.1:5%"}, cluster) == "the job does not use node 1, or it is slow already");
  cluster.spec.slow = {{13, 0.9, {}}};
  CHECK(slow_refusal({"gpu.13:5%"}, cluster) == "the job does not use accelerator 13, or it is slow already");
}

TEST_CASE("devices are drawn among the first ranks, wherever these are", "[topology][slow]") {
  const Cluster packed = eight_nodes(), elsewhere = eight_nodes({9, 4, 2, 0, 1, 3, 5, 6}, 12);
  const Cluster own_machine = eight_nodes({7, 6, 5, 4, 3, 2, 1, 0});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CHECK(*slowed({"gpu:5%"}, packed, 16, seed).begin() < 16);
    const int node = *slowed({"node:5%"}, elsewhere, 16, seed).begin() / 8;
    CHECK((node == 9 || node == 4));
    // Two nodes that fill a machine of two are nodes 0 and 1, in any order.
    CHECK(*slowed({"node:5%"}, own_machine, 16, seed).begin() / 8 < 2);
  }
  CHECK(slowed({"gpu.72:5%"}, elsewhere) == std::set<int>{72});
}
