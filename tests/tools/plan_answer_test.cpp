// SPDX-License-Identifier: Apache-2.0
// What an answer of `plan` derives from its figures.
#include "tools/output/plan_answer.hpp"

#include "support/catch.hpp"
#include "tools/output/plan_texts.hpp"

using namespace clusterwright;

namespace {

PurchasePlan made_up_purchase(const char* accelerator, int accelerators, double days, double millions) {
  PurchasePlan plan;
  plan.machine.accelerator = accelerator;
  plan.accelerators = accelerators;
  plan.figures.time = {0.5 * days * day, days * day, 2 * days * day};
  plan.figures.money.value = 1e6 * millions * dollar;
  return plan;
}

}  // namespace

TEST_CASE("a later purchase is done when the one of today is done", "[tools][plan]") {
  PlanAnswer answer;
  answer.tokens = 15e12;
  answer.limits.time = 90 * day;
  const PurchasePlan cheap = made_up_purchase("MI355X", 640, 86.79, 49.35);
  const PurchasePlan dear = made_up_purchase("B200", 1024, 83.63, 83.79);
  SECTION("by a size that takes 86.79 x 49.35 / 83.79 = 51.12 days for the money, where none is on the frontier") {
    const auto delay = delay_allowed(answer, cheap, dear);
    REQUIRE(delay);
    CHECK(delay->time.in(day) == Approx(83.63 - 51.12).epsilon(1e-3));
    CHECK_FALSE(delay->instead);
  }
  SECTION("by the fastest size of the frontier for no more money") {
    answer.found.frontier = {cheap, made_up_purchase("MI355X", 1024, 56.28, 74.75),
                             made_up_purchase("MI355X", 1152, 52.25, 84.26), made_up_purchase("B200", 1280, 50, 80)};
    const auto delay = delay_allowed(answer, cheap, dear);
    REQUIRE(delay);
    CHECK(delay->time.in(day) == Approx(83.63 - 56.28));
    REQUIRE(delay->instead);
    CHECK(delay->instead->accelerators == 1024);
  }
  SECTION("not at all where it takes longer for the same money") {
    CHECK_FALSE(delay_allowed(answer, made_up_purchase("MI355X", 640, 90, 80), dear));
  }
}

TEST_CASE("a chance below a target is not shown as if it met it", "[tools][plan]") {
  PlanAnswer answer;
  CHECK(chance_text(answer, 0.61) == "61 %");
  CHECK(chance_text(answer, 0.896) == "89.6 %");  // 90 % is likely
  CHECK(chance_text(answer, 0.8996) == "89.96 %");
  CHECK(chance_text(answer, 0.904) == "90 %");
  answer.limits.chance = 0.8;
  CHECK(chance_text(answer, 0.797) == "79.7 %");
}
