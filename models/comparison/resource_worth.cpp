// SPDX-License-Identifier: Apache-2.0
#include "models/comparison/resource_worth.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "models/prediction/predict_scale.hpp"
#include "models/prediction/step_sensitivity.hpp"
#include "models/site/sizing/filled_site.hpp"
#include "models/site/sizing/power_budgets.hpp"
#include "sim/diagnostic.hpp"
#include "topology/nodes/power_limit.hpp"

namespace clusterwright {

namespace {

constexpr double tenth = 0.1;

double gain_of(double step_change) {
  return 1 / (1 + step_change) - 1;
}

/// Entry of a resource, of which one direction may be missing.
ResourceWorth& entry_of(const StepSensitivity& found, std::vector<ResourceWorth>& out) {
  const auto known = std::ranges::find(out, found.resource, &ResourceWorth::resource);
  if (known != out.end()) return *known;
  ResourceWorth one;
  one.resource = found.resource;
  one.of_part = found.of_part;
  return out.emplace_back(std::move(one));
}

class Valuer {
 public:
  Valuer(const ComparedOption& option, const JobSite& site, const PriceList& prices)
      : option_(option), site_(site), prices_(prices) {}

  ResourceWorths all() const {
    ResourceWorths out{of_step(), {}};
    if (!option_.sized) return out;
    for (ResourceWorth& one : out.resources) add_prices(one);
    if (const auto accelerators = of_accelerators(out.no_larger))
      out.resources.insert(out.resources.begin(), *accelerators);
    return out;
  }

 private:
  std::vector<ResourceWorth> of_step() const {
    std::vector<ResourceWorth> out;
    for (const StepSensitivity& s : step_sensitivities(*option_.scenario, *option_.step, 1 + tenth))
      entry_of(s, out).more = gain_of(s.step_change);
    for (const StepSensitivity& s : step_sensitivities(*option_.scenario, *option_.step, 1 - tenth))
      entry_of(s, out).less = gain_of(s.step_change);
    std::ranges::stable_sort(out, std::greater{}, [](const ResourceWorth& one) { return one.more; });
    return out;
  }

  void add_prices(ResourceWorth& one) const {
    const CostReport& cost = option_.sized->cost;
    if (one.more && !cost.rented && !cost.lower_bound()) one.worth = std::max(0.0, *one.more) * cost.capex_total;
    if (one.resource == "network bandwidth") set_cost(one, {"network", "cables", "transceivers"});
    if (one.resource == "storage and preparation of data") set_cost(one, {"storage"});
    if (is_power_limit(one)) one.power = power_of_limit();
  }

  void set_cost(ResourceWorth& one, std::initializer_list<std::string_view> chapters) const {
    Dollars sum;
    for (const CostShare& share : option_.sized->cost.capex)
      if (std::ranges::find(chapters, share.name) != chapters.end()) sum += share.amount;
    if (sum <= Dollars{}) return;
    one.cost = tenth * sum;
    one.estimated = true;
  }

  /// Power that 10 % of the limit stands for, from a limit that is 10 % lower.
  std::optional<Watts> power_of_limit() const {
    Scenario lower = *option_.scenario;
    const AcceleratorPart& part = lower.cluster.accelerator;
    const Watts limit = (1 - tenth) * part.limit_or_rating();
    if (!part.has_known_clock() || limit < least_power_limit(part)) return {};
    limit_accelerators(lower.cluster, limit);
    const auto sized = size_of(lower);
    return sized ? std::optional(option_.sized->plan.mean.facility - sized->plan.mean.facility) : std::nullopt;
  }

  /// About 10 % more replicas and 10 % less, as for exactly 10 %.
  std::optional<ResourceWorth> of_accelerators(std::string& no_larger) const {
    const int own = option_.step->accelerators;
    const int step = step_of_size(option_.step->plan, option_.scenario->cluster);
    const int added = std::max(1, static_cast<int>(std::lround(tenth * own / step))) * step;
    const auto larger = size_at(own + added, no_larger);
    if (!larger) return {};
    const double scale = tenth * own / added;
    ResourceWorth out;
    out.resource = "accelerators";
    out.more = scale * gain_over(*larger);
    std::string no_smaller;
    if (own > added)
      if (const auto smaller = size_at(own - added, no_smaller)) out.less = scale * gain_over(*smaller);
    out.power = scale * (larger->plan.mean.facility - option_.sized->plan.mean.facility);
    if (!larger->cost.rented && !larger->cost.lower_bound()) {
      out.cost = scale * (larger->cost.capex_total - option_.sized->cost.capex_total);
      out.worth = *out.more * option_.sized->cost.capex_total;
    }
    return out;
  }

  double gain_over(const SizedCluster& sized) const {
    return sized.step->tokens_per_second / option_.step->tokens_per_second - 1;
  }

  std::optional<SizedCluster> size_of(const Scenario& scenario) const {
    SizedCluster sized = site_.size(scenario, prices_);
    return sized.step->fits ? std::optional(std::move(sized)) : std::nullopt;
  }

  /// @param reason  why there is none
  std::optional<SizedCluster> size_at(int accelerators, std::string& reason) const {
    try {
      auto sized = size_of(scenario_at_size(*option_.scenario, accelerators, false));
      if (!sized) reason = "the job does not fit";
      return sized;
    } catch (const ConfigError& error) {  // a fabric that ends, nodes without a network
      reason = error.diagnostics().front().message;
      return {};
    }
  }

  const ComparedOption& option_;
  const JobSite& site_;
  const PriceList& prices_;
};

}  // namespace

bool is_power_limit(const ResourceWorth& one) {
  return one.resource == power_limit_resource || one.resource == limit_up_to_rating;
}

ResourceWorths resource_worths(const ComparedOption& option, const JobSite& site, const PriceList& prices) {
  return Valuer(option, site, prices).all();
}

}  // namespace clusterwright
