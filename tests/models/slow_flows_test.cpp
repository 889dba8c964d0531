// SPDX-License-Identifier: Apache-2.0
#include "models/settling/slow_flows.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "models/kernels/collectives/slow_flow.hpp"
#include "models/plan/resolve_plan.hpp"
#include "models/settling/step_simulation.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using testing::small_scenario;
using testing::SmallCase;

namespace {

constexpr TailSpec with_tail{1.6, {}};
constexpr int members = 32;

/// Fully sharded layers on four nodes, whose gathers take about as long as their computation.
Scenario sharded_layers(double nic_gbit_per_s) {
  SmallCase c;
  c.data = members;
  c.sharding = Sharding::fsdp;
  c.layers = 8;
  c.hidden = 4096;
  c.heads = 32;
  c.sequence = 4096;
  c.micro_batches = 3;
  c.nic_gbit_per_s = nic_gbit_per_s;
  c.stack = "torchtitan-2025";
  Scenario s = small_scenario(c);
  s.steps.replica_spread.value = 0;
  s.cluster.spec.fabric.tail = with_tail;
  return s;
}

StepGraph graph_of(Scenario s, const Plan& plan, std::optional<TailPart> slow_flows) {
  s.cluster.slow_flows = slow_flows;
  return simulate_step(s, plan).graph;
}

/// The graph with legs of its own for every collective; those between nodes take what `draw` says.
/// @param slower  the same step with slow flows
/// @param draw    what a collective loses over what it loses there
template <class Draw>
StepGraph with_draws(StepGraph graph, const StepGraph& slower, Draw draw) {
  StepStructure& s = graph.structure;
  for (const RendezvousId r : s.rendezvous.ids()) {
    const std::size_t chain = s.rendezvous[r].chain.value;
    const std::uint32_t begin = s.chain_begin[chain], end = s.chain_begin[chain + 1];
    const double factor = draw();
    for (std::uint32_t leg = begin; leg < end; ++leg) {
      LegTiming timing = graph.timing.legs[LegId(leg)];
      timing.delay =
          timing.delay + to_picoseconds(factor * to_seconds(slower.timing.legs[LegId(leg)].delay - timing.delay));
      graph.timing.legs.push_back(timing);
      for (std::uint32_t use = s.use_begin[leg]; use < s.use_begin[leg + 1]; ++use) {
        s.uses.push_back(ResourceUse(s.uses[use]));
        graph.timing.coefficients.push_back(std::uint32_t(graph.timing.coefficients[use]));
      }
      s.use_begin.push_back(static_cast<std::uint32_t>(s.uses.size()));
    }
    s.rendezvous[r].chain = ChainId(s.chain_begin.size() - 1);
    s.chain_begin.push_back(static_cast<std::uint32_t>(graph.timing.legs.size()));
  }
  return graph;
}

/// Mean end of steps whose collectives each have a slowest flow of their own.
Seconds drawn_mean(const StepGraph& alike, const StepGraph& slower, int draws) {
  const FlowTail tail(with_tail);
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  Seconds sum;
  for (int i = 0; i < draws; ++i) {
    const StepGraph graph = with_draws(alike, slower, [&] {
      const double above = -std::expm1(std::log(1 - uniform(random)) / members);
      return (tail.quantile(above) / tail.mean() - 1) / (tail.slowest(members) - 1);
    });
    sum += to_seconds(simulate_graph(graph).result.end);
  }
  return sum / draws;
}

}  // namespace

TEST_CASE("a step loses what collectives of drawn times lose", "[models][jitter]") {
  for (const double nic : {400.0, 100.0, 25.0}) {
    const Scenario s = sharded_layers(nic);
    const Plan plan = resolve_plan(s).plan;
    const StepGraph alike = graph_of(s, plan, {}), slower = graph_of(s, plan, TailPart{});
    const Seconds equal = to_seconds(simulate_graph(alike).result.end);
    const Seconds drawn = drawn_mean(alike, slower, 60) - equal;
    const Seconds lost = to_seconds(time_step(s, plan).end) - equal;
    INFO("NICs of " << nic << " Gbit/s: step " << equal.in(second) << " s, loses " << lost.in(second) << " s, drawn "
                    << drawn.in(second) << " s");
    CHECK(lost.in(second) == Approx(drawn.in(second)).epsilon(0.1));
  }
}

TEST_CASE("without a tail, or with equal flows, a step loses nothing", "[models][jitter]") {
  Scenario s = sharded_layers(100);
  const Plan plan = resolve_plan(s).plan;
  s.cluster.spec.fabric.tail.reset();
  const Picoseconds equal = time_step(s, plan).end;
  s.cluster.spec.fabric.tail = TailSpec{1, {}};
  CHECK(to_seconds(time_step(s, plan).end - equal) <= 1e-5 * to_seconds(equal));
  s.cluster.spec.fabric.tail = with_tail;
  const StepTime slow = time_step(s, plan);
  CHECK(slow.end > equal);
  CHECK(slow.breakdown[static_cast<std::size_t>(StepCharge::jitter)] == to_seconds(slow.end - equal));
  CHECK(summarise_step(s, plan).end == slow.end);
  StepWhatIfs what_ifs(s, plan);
  CHECK(what_ifs.base().end == slow.end);
  CHECK(what_ifs.time_under(s).end == slow.end);
}

TEST_CASE("a slow flow keeps its collective waiting, a fast one ends it sooner", "[models][jitter]") {
  CollectiveTiming ring{20 * microsecond, 10 * megabyte, 10 * gigabyte_per_second, true};
  CHECK(with_slow_flow(ring, 3).time().in(microsecond) == Approx(20 + 3000));
  CHECK(with_slow_flow(ring, 0.9).time().in(microsecond) == Approx(20 + 900));
  CHECK(with_slow_flow(ring, 3).rate == ring.rate);  // contention slows the bytes alone
  CollectiveTiming tree = ring;
  tree.algorithm = Algorithm::tree;
  CHECK(with_slow_flow(tree, 3).time().in(microsecond) == Approx(3 * (20 + 1000)));
  ring.crosses_domains = false;
  CHECK(with_slow_flow(ring, 3).time() == ring.time());
}

// Of a loss of 0.934 means for the slowest of 1,024 flows, 0.418 is within p99: 300,000 draws.
TEST_CASE("what a tail does beyond its last quantile is an error of the step", "[models][jitter]") {
  const TailSpec tail{1.5, {}};
  CHECK(tail_error(tail, 1024, 0.1) == Approx(0.1 * 0.5 * (0.934 - 0.418) / 0.934).epsilon(0.01));
  CHECK(tail_error(tail, 8, 0.1) < 0.1 * 0.5 * 0.2);  // seldom one in 100
  CHECK(tail_error(tail, 1024, 0) == 0);
  CHECK(far_tail_sentence(tail, 64).empty());
  CHECK(far_tail_sentence(tail, 1024).find("1 in 100") != std::string::npos);
}
