// SPDX-License-Identifier: Apache-2.0
// Purchases whose price is a lower bound, or that are rented, beside those with a whole price.
#include <algorithm>
#include <string>
#include <utility>

#include "models/job/configs_directory.hpp"
#include "models/job/node_cluster.hpp"
#include "models/procurement/purchase_search.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

PurchasePlan made_up(const char* accelerator, int accelerators, double days, double millions) {
  PurchasePlan plan;
  plan.machine.node = std::string(accelerator) + " node";
  plan.machine.accelerator = accelerator;
  plan.accelerators = accelerators;
  plan.figures.time = {days * day, days * day, days * day};
  plan.figures.money.value = 1e6 * millions * dollar;
  plan.figures.power = 1 * megawatt;
  return plan;
}

PurchasePlan bound(PurchasePlan plan) {
  plan.figures.lower_bound = true;
  return plan;
}

PurchasePlan rented(const char* accelerator, int accelerators, double days, double millions) {
  PurchasePlan plan = made_up(accelerator, accelerators, days, 0);
  plan.figures.rented = plan.figures.by_run = true;
  plan.figures.run = 1e6 * millions * dollar;
  return plan;
}

std::string ranked_names(const std::vector<PurchasePlan>& plans) {
  std::string out;
  for (const PurchasePlan& plan : plans)
    out += (out.empty() ? "" : " ") + plan.machine.accelerator + ":" + std::to_string(plan.accelerators);
  return out;
}

PurchaseRequest small_question(std::vector<MachineChoice> machines) {
  PurchaseRequest request;
  request.job = {pretraining_of(configs_directory() / "transformers" / "llama3-8b.json", 1e12), {"job.tokens=1e12"}};
  request.machines = std::move(machines);
  request.limits.time = 60 * day;
  return request;
}

}  // namespace

TEST_CASE("a lower bound may be dominated and never dominates", "[models][procurement]") {
  const PurchasePlan whole = made_up("A", 64, 50, 5), least = bound(made_up("B", 64, 40, 1)),
                     most = bound(made_up("B", 128, 60, 9));
  CHECK_FALSE(dominates(least, whole));
  CHECK(dominates(whole, most));  // whatever the missing parts cost
  CHECK_FALSE(dominates(whole, least));
  CHECK(ranked_names(frontier_of({least, most, whole})) == "A:64 B:64");
}

TEST_CASE("a lower bound dominates a larger number of the same node", "[models][procurement]") {
  const PurchasePlan small = bound(made_up("B", 64, 40, 1)), large = bound(made_up("B", 128, 60, 2));
  CHECK(dominates(small, large));
  CHECK_FALSE(dominates(large, small));
  CHECK_FALSE(dominates(bound(made_up("C", 64, 40, 1)), large));  // which may lack another part
  CHECK_FALSE(dominates(bound(made_up("B", 256, 30, 1)), large));
}

TEST_CASE("of purchases without a whole price none comes before one that has it", "[models][procurement]") {
  const std::vector<PurchasePlan> plans = {bound(made_up("B", 64, 40, 1)), made_up("A", 64, 50, 5)};
  CHECK(ranked_names(best_by_accelerator(plans, PurchaseObjective::cost)) == "A:64 B:64");
  CHECK(ranked_names(best_by_accelerator(plans, PurchaseObjective::time)) == "B:64 A:64");
  PurchaseLimits limits;
  limits.money = 6e6 * dollar;  // open whether B keeps to it
  CHECK(meets(plans[0].figures, limits));
  CHECK(is_open(plans[0].figures, PurchaseObjective::time, limits));
  CHECK(ranked_names(best_by_accelerator(plans, PurchaseObjective::time, limits)) == "A:64 B:64");
  limits.money = 0.5e6 * dollar;
  CHECK_FALSE(meets(plans[0].figures, limits));  // for sure
}

TEST_CASE("plans without a whole price do not end the frontier", "[models][procurement]") {
  // 5 M$ are more than three times the bound of 1 M$, which says nothing.
  CHECK(is_of_interest(made_up("A", 64, 50, 5).figures, {bound(made_up("B", 64, 40, 1))}, {}, PurchaseObjective::cost));
  CHECK_FALSE(is_of_interest(made_up("A", 64, 50, 5).figures, {made_up("B", 64, 40, 1)}, {}, PurchaseObjective::cost));
}

TEST_CASE("rented machines rank against bought ones by the money of the run", "[models][procurement]") {
  PurchasePlan bought = made_up("A", 64, 50, 5);
  bought.figures.by_run = true;
  bought.figures.run = 0.4e6 * dollar;
  const PurchasePlan hired = rented("B", 64, 50, 0.5);
  CHECK(ranked_names(best_by_accelerator({hired, bought}, PurchaseObjective::cost)) == "A:64 B:64");
  CHECK(dominates(bought, hired));  // 0.4 against 0.5 M$ in the same days
  PurchaseLimits limits;
  limits.money = 1e6 * dollar;  // covers the rent, and not the purchase
  CHECK(used_share(hired.figures, limits, PurchaseLimit::money) == Approx(0.5));
  CHECK(used_share(bought.figures, limits, PurchaseLimit::money) == Approx(5));
}

TEST_CASE("a search with a rented machine ranks all by the money of the run", "[models][procurement]") {
  PurchaseRequest request =
      small_question({{"DGX H100", "H100-SXM", "bf16", 1}, {"AWS p5en.48xlarge", "H200", "bf16", 1}});
  request.sizes = {64, 128, 256};
  const PurchaseAnswer answer = search_purchases(request);
  REQUIRE(answer.by_accelerator.size() == 2);
  for (const auto* plans : {&answer.frontier, &answer.by_accelerator})
    for (std::size_t i = 0; i < plans->size(); ++i) {
      const PurchaseFigures& figures = (*plans)[i].figures;
      CHECK(figures.by_run);
      CHECK_FALSE(figures.lower_bound);
      CHECK(figures.rented == ((*plans)[i].machine.accelerator == "H200"));
      CHECK((figures.money.value > Dollars{}) != figures.rented);
      CHECK(figures.run > Dollars{});
      if (i > 0) CHECK((*plans)[i - 1].figures.run <= figures.run);
    }
}

TEST_CASE("a budget of rented machines buys hours, not nodes", "[models][procurement]") {
  PurchaseRequest request = small_question({{"AWS p5en.48xlarge", "H200", "bf16", 1}});
  request.sizes = {64, 128};
  const PurchaseAnswer open = search_purchases(request);
  REQUIRE_FALSE(open.frontier.empty());
  const Dollars least = open.frontier.front().figures.run;
  request.limits.money = 1.05 * least;  // a node alone costs more
  CHECK_FALSE(search_purchases(request).frontier.empty());
  request.limits.money = 0.9 * least;
  const PurchaseAnswer missed = search_purchases(request);
  CHECK(missed.frontier.empty());
}

TEST_CASE("machines with a whole price stay beside unpriced ones", "[models][procurement]") {
  const PurchaseRequest request =
      small_question({{"DGX H100", "H100-SXM", "bf16", 1}, {"TPU v7x host of a 4x4x4 slice", "TPU-v7x", "bf16", 1}});
  const PurchaseAnswer answer = search_purchases(request);
  REQUIRE_FALSE(answer.frontier.empty());
  CHECK_FALSE(answer.frontier.front().figures.lower_bound);
  REQUIRE(answer.by_accelerator.size() == 2);
  CHECK(answer.by_accelerator[0].machine.accelerator == "H100-SXM");
  CHECK(answer.by_accelerator[1].figures.lower_bound);
  // The best whole price is the one that is found without the unpriced machine.
  const PurchaseAnswer alone = search_purchases(small_question({request.machines.front()}));
  CHECK(alone.frontier.front().accelerators == answer.frontier.front().accelerators);
}
