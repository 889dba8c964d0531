// SPDX-License-Identifier: Apache-2.0
// One more or one less of an integer moves a step by little, or a warning names the width that it breaks.
#include <rapidcheck.h>

#include <cmath>
#include <functional>

#include "models/prediction/predict_step.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

constexpr double small_change = 0.02;

/// Eight replicas of layers as wide as those of real models.
SmallCase drawn_case() {
  SmallCase c;
  c.hopper = *rc::gen::arbitrary<bool>();
  c.data = 8;
  c.layers = *rc::gen::inRange(1, 4);
  c.heads = *rc::gen::element(16, 32, 64);
  c.hidden = c.heads * *rc::gen::element(64, 128);
  c.sequence = *rc::gen::inRange(2048, 8192);
  c.vocabulary = 1024 * *rc::gen::inRange(8, 128);
  c.micro_batches = *rc::gen::inRange(1, 4);
  c.recompute = Recompute::full;
  return c;
}

/// Time per unit of what changes by one, and whether a warning says why it may jump.
void check_neighbour(const Scenario& s, const std::function<void(Scenario&)>& one_more) {
  Scenario next = s;
  one_more(next);
  const StepPrediction a = predict_step(s), b = predict_step(next);
  const double change = std::abs(std::log(b.step_time / a.step_time));
  if (change < small_change) return;
  RC_LOG() << a.step_time.in(second) << " s, " << b.step_time.in(second) << " s; hidden " << s.transformer.hidden
           << ", sequence " << s.job.sequence << ", vocabulary " << s.transformer.vocabulary << ", ffn "
           << s.transformer.ffn << "\n";
  RC_ASSERT(b.warnings != a.warnings);
}

}  // namespace

TEST_CASE("a token more or less moves a step by under 2 %", "[laws]") {
  CHECK(rc::check([] {
    const Scenario s = small_scenario(drawn_case());
    check_neighbour(s, [](Scenario& next) { ++next.job.sequence; });
    check_neighbour(s, [](Scenario& next) { --next.job.sequence; });
  }));
}

TEST_CASE("an MLP, a vocabulary or a head wider by one moves a step by under 2 %, or is named", "[laws]") {
  CHECK(rc::check([] {
    const Scenario s = small_scenario(drawn_case());
    check_neighbour(s, [](Scenario& next) { ++next.transformer.ffn; });
    check_neighbour(s, [](Scenario& next) { --next.transformer.ffn; });
    check_neighbour(s, [](Scenario& next) { ++next.transformer.vocabulary; });
    check_neighbour(s, [](Scenario& next) { next.transformer.hidden += next.transformer.heads; });
  }));
}

TEST_CASE("a capacity factor more by a hundredth never makes a step faster by 0.2 %, nor slower by 5 %", "[laws]") {
  CHECK(rc::check([] {
    SmallCase c = drawn_case();
    c.experts = ExpertMixture{8, 2, 2048, 0, {}, 0, 1, {}, {}};
    c.expert = *rc::gen::element(1, 8);
    const double factor = *rc::gen::inRange(50, 200) / 100.0;
    c.routing.capacity_factor = factor;
    const StepPrediction less = predict_step(small_scenario(c));
    c.routing.capacity_factor = factor + 0.01;
    const StepPrediction more = predict_step(small_scenario(c));
    RC_LOG() << factor << ": " << less.step_time.in(second) << " s, " << more.step_time.in(second) << " s\n";
    RC_ASSERT(more.step_time > 0.998 * less.step_time);
    RC_ASSERT(more.step_time < 1.05 * less.step_time);  // one wave of tiles more
    RC_ASSERT(more.mfu <= 1);
  }));
}
