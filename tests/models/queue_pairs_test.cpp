// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/queue_pairs.hpp"

#include <set>

#include "models/lowering/lowered_step.hpp"
#include "models/settling/steady_state.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

SmallCase experts_over(int ranks) {
  SmallCase c;
  c.data = ranks;
  c.expert = ranks;
  c.experts = ExpertMixture{};
  c.experts->experts = 64;
  c.experts->per_token = 4;
  c.experts->ffn = 512;
  return c;
}

/// Sixteen replicas on two nodes for each of four stages.
SmallCase replicas_of_stages() {
  SmallCase c;
  c.data = 16;
  c.pipeline = 4;
  c.micro_batches = 8;
  return c;
}

std::set<std::uint32_t> weights(const SmallCase& c) {
  const Scenario s = small_scenario(c);
  const LoweredStep lowered(s, plan_of(s), Folding::folded);
  std::set<std::uint32_t> out;
  for (const LegTiming& leg : lowered.timing().legs) out.insert(leg.weight);
  return out;
}

}  // namespace

TEST_CASE("an exchange sends to every peer of its rail", "[models][queue-pairs]") {
  CHECK(exchange_queue_pairs({4, 8}) == 2 * 3);  // 32 ranks
  CHECK(exchange_queue_pairs({8, 8}) == 7);
  CHECK(exchange_queue_pairs({1, 8}) == 0);
}

TEST_CASE("transfers between domains weigh what their queue pairs do", "[models][queue-pairs]") {
  using Weights = std::set<std::uint32_t>;
  CHECK(weights(experts_over(8)) == Weights{1});
  CHECK(weights(experts_over(32)) == Weights{1, 3, 8});  // an exchange, rings over 8 NICs of each node
  CHECK(weights(replicas_of_stages()) == Weights{1, 8});
}

TEST_CASE("a ring and a message get equally many bytes of a NIC that they share", "[models][queue-pairs]") {
  const Scenario s = small_scenario(replicas_of_stages());
  const LoweredStep lowered(s, plan_of(s), Folding::folded);
  const StepStructure& structure = lowered.structure();
  int shared = 0;
  for (const LegId leg : lowered.timing().legs.ids())
    for (std::uint32_t use = structure.use_begin[leg.value]; use < structure.use_begin[leg.value + 1]; ++use) {
      if (!structure.resource_names[structure.uses[use].resource].starts_with("network out")) continue;
      const double coefficient = lowered.timing().coefficients[use] / static_cast<double>(coefficient_one);
      CHECK(coefficient * lowered.timing().legs[leg].weight == Approx(1));
      ++shared;
    }
  CHECK(shared > 2);
}
