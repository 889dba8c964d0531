// SPDX-License-Identifier: Apache-2.0
// Options beside each other: what cancels, what does not, and what resources are worth.
#include "models/comparison/compared_option.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "models/comparison/price_sensitivity.hpp"
#include "models/comparison/price_spread.hpp"
#include "models/comparison/resource_worth.hpp"
#include "models/job/configs_directory.hpp"
#include "models/job/node_cluster.hpp"
#include "models/job/price_list.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/prediction/ratio_error.hpp"
#include "models/site/sizing/job_site.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

Scenario compared_job(const std::string& node, std::vector<std::string> settings = {}, int accelerators = 64) {
  ScenarioOptions options;
  options.node = node;
  options.accelerators = accelerators;
  options.settings = std::move(settings);
  for (const char* layout : {"job.parallel.tensor=4", "job.parallel.pipeline=1", "job.global_batch=128"})
    options.settings.emplace_back(layout);
  return scenario_of_document(pretraining_of(configs_directory() / "transformers" / "llama3-8b.json", 1e12), options);
}

ComparedOption on(const std::string& node, std::vector<std::string> settings = {}) {
  return compared_option(node, compared_job(node, std::move(settings)), false);
}

double total_of_shares(const std::vector<CostShare>& shares) {
  double sum = 0;
  for (const CostShare& share : shares) sum += share.amount.in(dollar);
  return sum;
}

/// A site with the prices of its scenario.
struct PricedSite {
  explicit PricedSite(const Scenario& scenario)
      : site(scenario, inputs), prices(load_prices(scenario.source, site.catalog(), inputs)) {}

  std::vector<InputFile> inputs;
  JobSite site;
  PriceList prices;
};

double effect_of(const std::vector<PriceSensitivity>& list, const std::string& term) {
  const auto found = std::ranges::find(list, term, &PriceSensitivity::term);
  REQUIRE(found != list.end());
  return found->more;
}

}  // namespace

TEST_CASE("an option against itself is a coin that does not fall", "[models][comparison]") {
  const ComparedOption a = on("DGX H100");
  REQUIRE(a.sized);
  const OptionRatio ratio = ratio_of(a, a);
  CHECK(ratio.speed.value == 1);
  CHECK(ratio.speed.high < 1.001);
  CHECK(ratio.probability_faster == 0.5);
  REQUIRE(ratio.price);
  CHECK(ratio.price->value == 1);
  CHECK(ratio.price->high == Approx(ratio.speed.high));  // its prices cancel
  CHECK(*ratio.probability_cheaper == 0.5);
}

TEST_CASE("an option whose site breaks a constraint runs and cannot be built", "[models][comparison]") {
  const ComparedOption air = on("DGX H100"), immersed = on("DGX H100", {"cluster.facility.like=immersion"});
  CHECK(air.can_be_built());
  CHECK(air.failed_verdicts().empty());
  REQUIRE(immersed.sized);
  CHECK(immersed.runs());
  CHECK_FALSE(immersed.can_be_built());
  const auto failed = immersed.failed_verdicts();
  REQUIRE_FALSE(failed.empty());
  CHECK(failed.front().arithmetic.find("DGX H100 is sold for air only") != std::string::npos);
}

TEST_CASE("both orders of a pair have probabilities that sum to one", "[models][comparison]") {
  const ComparedOption a = on("DGX H100"), b = on("DGX B200");
  const OptionRatio there = ratio_of(a, b), back = ratio_of(b, a);
  CHECK(there.probability_faster + back.probability_faster == Approx(1));
  CHECK(*there.probability_cheaper + *back.probability_cheaper == Approx(1));
  CHECK(there.speed.value * back.speed.value == Approx(1));
  CHECK(there.speed.low * back.speed.high == Approx(1));
  CHECK(back.probability_faster > 0.8);  // a B200 is about twice as fast
}

TEST_CASE("twins differ only in what moved", "[models][comparison]") {
  const ComparedOption full = on("DGX H100"),
                       capped = on("DGX H100", {"cluster.node.accelerator_power_limit_share=0.8"});
  const OptionRatio ratio = ratio_of(capped, full);
  CHECK(ratio.probability_faster < 0.05);
  CHECK(std::log(ratio.speed.high / ratio.speed.low) < 0.5 * std::log(full.step->high / full.step->low));
  const ComparedOption other = on("DGX H100", {"job.micro_batch=2"});
  CHECK(full.step->uncertainty.twin == capped.step->uncertainty.twin);
  CHECK(full.step->uncertainty.twin != other.step->uncertainty.twin);
}

TEST_CASE("prices of the same parts cancel, of others they do not", "[models][comparison]") {
  const ComparedOption a = on("DGX H100"), b = on("DGX B200");
  CHECK(sigma_of_prices(a.sized->cost, a.sized->cost) == 0);
  double alone = 0;
  for (const auto& [cause, sigma] : price_spread(b.sized->cost)) alone += sigma * sigma;
  CHECK(sigma_of_prices(a.sized->cost, b.sized->cost) > 0.5 * std::sqrt(alone));
  CHECK(price_spread(a.sized->cost).contains("energy"));
}

TEST_CASE("shares of an accelerator-hour sum to its price at every end", "[models][comparison]") {
  const ComparedOption a = on("DGX H100");
  const CostReport& cost = a.sized->cost;
  CHECK(total_of_shares(cost.per_hour_shares) == Approx(cost.per_hour.total().in(dollar)));
  CHECK(total_of_shares(cost.low.per_hour_shares) == Approx(cost.low.per_hour.total().in(dollar)));
  CHECK(total_of_shares(cost.high.per_hour_shares) == Approx(cost.high.per_hour.total().in(dollar)));
}

TEST_CASE("a price moves a token by its share", "[models][comparison]") {
  const ComparedOption a = on("DGX H100");
  const PricedSite priced(*a.scenario);
  const auto list = price_sensitivities(a, priced.site.catalog(), priced.prices);
  const CostReport& cost = a.sized->cost;
  double energy = 0;
  for (const CostShare& share : cost.per_hour_shares)
    if (share.name == "energy") energy = share.amount.in(dollar);
  CHECK(effect_of(list, "price of electricity") == Approx(0.1 * energy / cost.per_hour.total().in(dollar)));
  CHECK(effect_of(list, "goodput") == Approx(1 / 1.1 - 1).epsilon(0.2));  // goodput ends at 1
  CHECK(effect_of(list, "price of nodes") > effect_of(list, "price of the network"));
  CHECK(effect_of(list, "years of use") < 0);
}

TEST_CASE("more accelerators are worth about what they cost, and useless resources nothing", "[models][comparison]") {
  const ComparedOption a = compared_option("", compared_job("DGX H100", {}, 512), false);
  const PricedSite priced(*a.scenario);
  const std::vector<ResourceWorth> list = resource_worths(a, priced.site, priced.prices).resources;
  REQUIRE(list.front().resource == "accelerators");
  const ResourceWorth& nodes = list.front();
  REQUIRE(nodes.cost);
  CHECK(nodes.more == Approx(0.1).epsilon(0.1));
  CHECK(*nodes.worth / *nodes.cost == Approx(1).epsilon(0.25));
  CHECK(*nodes.power > Watts{});
  for (std::size_t i = 1; i + 1 < list.size(); ++i) {
    CHECK(*list[i].more <= (i > 1 ? *list[i - 1].more : 1));
    REQUIRE(list[i].less);
    CHECK(*list[i].less <= *list[i].more + 1e-3);
    CHECK(list[i].worth->in(dollar) == Approx(std::max(0.0, *list[i].more) * a.sized->cost.capex_total.in(dollar)));
  }
  CHECK(is_power_limit(list.back()));  // at the rating: there is no more of it, and less saves power
  CHECK_FALSE(list.back().more);
  CHECK_FALSE(list.back().worth);
  CHECK(*list.back().less < 0);
  CHECK(*list.back().power > Watts{});
}

TEST_CASE("a limit below the rating has a worth", "[models][comparison]") {
  const ComparedOption a = on("DGX H100", {"cluster.node.accelerator_power_limit_share=0.7"});
  const PricedSite priced(*a.scenario);
  const std::vector<ResourceWorth> list = resource_worths(a, priced.site, priced.prices).resources;
  const auto limit = std::ranges::find_if(list, is_power_limit);
  REQUIRE(limit != list.end());
  CHECK(limit->resource == "power limit of the accelerator");
  CHECK(*limit->more > 0.01);
  CHECK(*limit->less < -0.01);
  CHECK(limit->worth->in(dollar) == Approx(*limit->more * a.sized->cost.capex_total.in(dollar)));
}

TEST_CASE("a cluster that cannot grow says why, and values the rest", "[models][comparison]") {
  const Scenario full = load_scenario(configs_directory() / "scenarios" / "llama3-8b-single-node.json", {});
  const ComparedOption a = compared_option("", full, false);
  const PricedSite priced(full);
  const ResourceWorths worths = resource_worths(a, priced.site, priced.prices);
  CHECK(worths.no_larger.find("need a network") != std::string::npos);
  CHECK(worths.resources.size() > 4);
}
