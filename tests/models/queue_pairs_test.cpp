// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/queue_pairs.hpp"

#include <algorithm>

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

std::uint32_t largest_weight(const SmallCase& c) {
  const Scenario s = small_scenario(c);
  const LoweredStep lowered(s, plan_of(s), Folding::folded);
  std::uint32_t most = 0;
  for (const LegTiming& leg : lowered.timing().legs) most = std::max(most, leg.weight);
  return most;
}

}  // namespace

TEST_CASE("an exchange sends to every peer of its rail", "[models][queue-pairs]") {
  CHECK(exchange_queue_pairs({4, 8}) == 2 * 3);  // 32 ranks
  CHECK(exchange_queue_pairs({8, 8}) == 7);
  CHECK(exchange_queue_pairs({1, 8}) == 0);
}

TEST_CASE("exchanges between domains weigh what their queue pairs do, rings and messages one",
          "[models][queue-pairs]") {
  CHECK(largest_weight(experts_over(8)) == 1);
  CHECK(largest_weight(experts_over(32)) == 3);
  CHECK(largest_weight(experts_over(64)) == 3);  // 7 / 2, one channel to each of more peers
  SmallCase dense;
  dense.data = 16;
  dense.pipeline = 4;
  dense.micro_batches = 8;
  CHECK(largest_weight(dense) == 1);
}
