// SPDX-License-Identifier: Apache-2.0
// Laws of steps on the routed graph.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/lowering/graph_loads.hpp"
#include "models/lowering/step_shape.hpp"
#include "models/lowering/stream_traffic.hpp"
#include "models/plan/planned_job.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"
#include "topology/routing/routed_network.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// The same scenario over another fabric.
template <class Change>
Scenario over(Scenario scenario, Change change) {
  change(scenario.cluster.spec.fabric);
  scenario.cluster = resized(scenario.cluster, scenario.cluster.spec.accelerators);
  return scenario;
}

/// A fault that changes no rate lays the step on the graph.
Scenario on_graph(const Scenario& scenario) {
  return over(scenario, [&](FabricSpec& fabric) { fabric.faults = {fabric.tiers.front().name + ":0=1"}; });
}

Scenario on_shared_leaves(const Scenario& scenario) {
  return over(scenario, [&](FabricSpec& fabric) { fabric.rails = RailLayout::shared; });
}

Seconds time_of(const Scenario& scenario) {
  return to_seconds(time_step(scenario, plan_of(scenario)).end);
}

Scenario routed_by(const SmallCase& c, Routing routing, int queue_pairs = 4) {
  return over(small_scenario(c), [&](FabricSpec& fabric) {
    fabric.routing = routing;
    fabric.queue_pairs = queue_pairs;
  });
}

/// Bytes of all messages of a step over each link, over what the link carries in that time at its data sheet.
double busiest_share(const Scenario& scenario, Seconds step) {
  const Plan plan = plan_of(scenario);
  const StepRanks ranks(scenario, plan, Folding::folded);
  const NetworkGraph& graph = scenario.cluster.network().graph;
  const double payload = 2.0 * scenario.job.sequence * plan.micro_batch *
                         static_cast<double>(scenario.transformer.hidden) / plan.context / plan.tensor *
                         plan.micro_batches * plan.virtual_pipeline;
  double busiest = 0;
  std::map<LinkId, double> bytes;
  for (const LaidStream& stream : lay_streams(ranks.classes, ranks.placement, scenario.cluster)) {
    if (stream.key.stream != Stream::forward) continue;
    for (const auto& [link, load] : stream.loads) bytes[link] += load * payload;
  }
  for (const auto& [link, sum] : bytes)
    busiest = std::max(busiest, sum / (graph.capacity(link).in(byte_per_second)*step.in(second)));
  return busiest;
}

}  // namespace

TEST_CASE("evenly spread steps take the same time on the graph as on nested groups", "[laws]") {
  for (const auto& [taper, order] : {std::pair{1.0, RankOrder::tensor_context_data_pipeline},
                                     std::pair{4.0, RankOrder::tensor_context_data_pipeline},
                                     std::pair{4.0, RankOrder::tensor_context_pipeline_data},
                                     std::pair{32.0, RankOrder::tensor_context_pipeline_data}}) {
    CAPTURE(taper);
    SmallCase c = two_stages_over_leaves(taper);
    c.rank_order = order;
    const Scenario nested = on_shared_leaves(small_scenario(c));
    CHECK_FALSE(uses_graph(nested.cluster));
    CHECK(time_of(on_graph(nested)) / time_of(nested) == Approx(1).epsilon(1e-6));
  }
}

TEST_CASE("messages never cross a link faster than it carries them", "[laws]") {
  for (const Routing routing : {Routing::hash, Routing::spray, Routing::valiant, Routing::adaptive})
    for (const double taper : {1.0, 4.0, 64.0}) {
      const SmallCase c = two_stages_over_leaves(taper);
      CAPTURE(static_cast<int>(routing), taper);
      const Scenario scenario = routed_by(c, routing);
      const double share = busiest_share(on_graph(scenario), time_of(scenario));
      CHECK(share <= 1);
      CHECK(share > 0);
    }
}

TEST_CASE("fewer hashed flows cost more, and even spread the least", "[laws]") {
  const SmallCase c = two_stages_over_leaves();
  const auto hashed = [&](int flows) { return time_of(routed_by(c, Routing::hash, flows)).in(second); };
  const double even = time_of(routed_by(c, Routing::spray)).in(second);
  CHECK(even <= hashed(64));
  CHECK(hashed(64) < hashed(1));
}

TEST_CASE("a fault does not speed up a step that spreads evenly", "[laws]") {
  const Scenario healthy = small_scenario(two_stages_over_leaves(4));
  const Seconds base = time_of(healthy);
  for (const std::string fault : {"node:1.3", "rail:2", "leaf:0", "leaf:0=0.5", "spine:0=0.25", "node:0.0=0.1"}) {
    CAPTURE(fault);
    const Scenario broken = over(healthy, [&](FabricSpec& fabric) { fabric.faults = {fault}; });
    CHECK(time_of(broken) >= base * (1 - 1e-9));
  }
  const auto with = [&](const char* fault) {
    return time_of(over(healthy, [&](FabricSpec& fabric) { fabric.faults = {fault}; }));
  };
  CHECK(with("node:1.3") > base * 1.01);  // two ranks share a NIC
  CHECK(with("spine:0=0.25") >= with("spine:0=0.5"));
}

TEST_CASE("a fault saves a hashed step at most what its collisions cost", "[laws]") {
  SmallCase c = two_stages_over_leaves();
  c.tiers = {{"leaf", 16, 1, "QM8700/QM8790"}, {"spine", 64, 1, "QM8700/QM8790"}};
  const auto routed = [&](Routing routing) {
    return over(on_shared_leaves(small_scenario(c)), [&](FabricSpec& fabric) {
      fabric.routing = routing;
      fabric.queue_pairs = 2;
    });
  };
  const Seconds even = time_of(routed(Routing::spray));
  int slower = 0;
  for (int seed = 0; seed < 4; ++seed) {
    const Scenario healthy = over(routed(Routing::hash), [&](FabricSpec& fabric) { fabric.routing_seed = seed; });
    const Seconds base = time_of(healthy);
    for (const std::string fault : {"spine:0", "spine:1", "leaf:0-spine:0", "leaf:0-spine:0=0.25"}) {
      CAPTURE(seed, fault);
      const Seconds broken = time_of(over(healthy, [&](FabricSpec& fabric) { fabric.faults = {fault}; }));
      CHECK(broken >= even * (1 - 1e-6));
      slower += broken > base;
    }
  }
  CHECK(slower > 8);  // of 16
}

TEST_CASE("a long line counts once in a pass of a ring", "[laws]") {
  const auto hop = [](std::size_t a, std::size_t b) { return (a / 4 == b / 4 ? 1 : 100) * microsecond; };
  const StepLatency latency = step_latency(8, hop);
  CHECK(latency.farthest.in(microsecond) == Approx(100));
  CHECK(latency.ring.in(microsecond) == Approx((6 * 1 + 2 * 100) / 8.0));
  CHECK(latency.tree.in(microsecond) == Approx((1 + 1 + 100) / 3.0));
}
