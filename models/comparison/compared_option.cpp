// SPDX-License-Identifier: Apache-2.0
#include "models/comparison/compared_option.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "models/comparison/price_spread.hpp"
#include "models/job/price_list.hpp"
#include "models/prediction/ratio_error.hpp"
#include "models/search/best_plan.hpp"
#include "models/site/sizing/job_site.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

/// Price of a million tokens, where every part has one.
std::optional<double> price_of_tokens(const ComparedOption& option) {
  if (!option.sized || option.sized->cost.lower_bound()) return {};
  return option.sized->cost.usd_per_million_tokens;
}

}  // namespace

std::vector<SiteVerdict> ComparedOption::failed_verdicts() const {
  std::vector<SiteVerdict> out;
  if (sized)
    std::ranges::copy_if(sized->plan.verdicts, std::back_inserter(out),
                         [](const SiteVerdict& verdict) { return !verdict.holds; });
  return out;
}

ComparedOption compared_option(std::string name, const Scenario& scenario, bool replan) {
  ComparedOption out{std::move(name), scenario, {}, {}, {}};
  if (replan) out.scenario->job = with_open_layout(scenario.job);
  std::vector<InputFile> inputs;
  const JobSite site(*out.scenario, inputs);
  const PriceList prices = load_prices(out.scenario->source, site.catalog(), inputs);
  try {
    out.sized = std::make_shared<const SizedCluster>(site.size(*out.scenario, prices));
    out.step = out.sized->step;
  } catch (const ConfigError& error) {
    out.reason = error.diagnostics().front().message;
    out.step = site.predict(*out.scenario);
  }
  if (out.runs()) return out;
  out.sized = nullptr;
  out.reason = out.step->verdict;
  return out;
}

OptionRatio ratio_of(const ComparedOption& option, const ComparedOption& over) {
  const double faster = std::log(option.step->tokens_per_second / over.step->tokens_per_second);
  const RatioError error = ratio_error(option.step->uncertainty, over.step->uncertainty, over.scenario->steps);
  OptionRatio out{interval_around(faster, error), probability_ahead(faster, error), {}, {}};
  const auto price = price_of_tokens(option), other = price_of_tokens(over);
  if (!price || !other) return out;
  const double dearer = std::log(*price / *other);
  const double sigma_of_money = sigma_of_prices(option.sized->cost, over.sized->cost);
  const RatioError cheaper{std::hypot(error.slower, sigma_of_money), std::hypot(error.faster, sigma_of_money)};
  out.price = interval_around(dearer, cheaper.of_inverse());
  out.probability_cheaper = probability_ahead(-dearer, cheaper);
  return out;
}

double accelerator_seconds_per_million_tokens(const StepPrediction& step) {
  return 1e6 / step.tokens_per_second_per_accelerator();
}

}  // namespace clusterwright
