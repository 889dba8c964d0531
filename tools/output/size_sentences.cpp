// SPDX-License-Identifier: Apache-2.0
#include "tools/output/size_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tools/output/floor_drawing.hpp"
#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

std::string holds_sentence(const SitePlan& plan) {
  const auto fails = [](const SiteVerdict& verdict) { return !verdict.holds; };
  const auto failing = std::count_if(plan.verdicts.begin(), plan.verdicts.end(), fails);
  const std::size_t all = plan.verdicts.size();
  if (all == 0) return "No constraint was checked.";
  if (failing == 0 && all == 1) return "The only constraint that was checked holds.";
  if (failing == 0) return fmt::format("All {} constraints hold.", all);
  const SiteVerdict& first = *std::find_if(plan.verdicts.begin(), plan.verdicts.end(), fails);
  return fmt::format("{} of {} constraints {} not hold, first: {} ({}).", failing, all, failing == 1 ? "does" : "do",
                     first.what, first.arithmetic);
}

std::string nodes_text(int nodes) {
  return count_text(nodes) + (nodes == 1 ? " node" : " nodes");
}

std::string binding_sentence(const FloorPlan& floor) {
  if (floor.limits.empty()) return {};
  const RackLimit& binding = floor.limits.front();
  std::string text =
      fmt::format("A rack holds {}: {} ({})", nodes_text(binding.nodes), binding.name(), binding.arithmetic);
  if (floor.limits.size() > 1)
    text += fmt::format("; the next limit is {} at {}", floor.limits[1].name(), count_text(floor.limits[1].nodes));
  return text + ".";
}

std::string cost_sentence(const CostReport& cost) {
  if (cost.items.empty()) return "No part has a price.";
  std::string text =
      fmt::format("It costs {} to buy and {} a year to run", capex_text(cost), money_text(cost.opex_total));
  if (cost.per_hour.total() > Dollars())
    text += fmt::format(": {} per accelerator and hour, {} of it for energy", money_text(cost.per_hour.total()),
                        percent_text(cost.energy_share, 0));
  return text + ".";
}

std::string rent_sentence(const CostReport& cost) {
  if (!cost.rent) return {};
  const RentOrBuy& rent = *cost.rent;
  std::string text =
      fmt::format("Compared with rent at {} an hour, {} is cheaper at {} use", money_text(rent.rent_per_hour),
                  rent.buy ? "buying" : "renting", percent_text(cost.utilisation, 0));
  if (rent.break_even_utilisation)
    text += fmt::format("; the break-even is at {}", percent_text(*rent.break_even_utilisation, 0));
  return text + ".";
}

/// Up to three names, and the number of the others.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

std::string binding_step(const FloorPlan& floor) {
  const RackLimit& binding = floor.limits[0];
  const RackLimit& next = floor.limits[1];
  return fmt::format("{} keeps a rack at {}; without it {} would allow {}", binding.name(), nodes_text(binding.nodes),
                     next.name(), count_text(next.nodes));
}

}  // namespace

std::string size_title(const SizedCluster& sized) {
  return fmt::format("{} x {} in {} racks", count_text(sized.plan.accelerators), sized.accelerator,
                     count_text(static_cast<long long>(sized.plan.floor.racks.size())));
}

std::string capex_text(const CostReport& cost) {
  return (cost.unpriced.empty() ? "" : "at least ") + money_text(cost.capex_total);
}

std::vector<std::string> size_verdicts(const SizedCluster& sized) {
  std::vector<std::string> sentences = {holds_sentence(sized.plan), binding_sentence(sized.plan.floor),
                                        cost_sentence(sized.cost), rent_sentence(sized.cost)};
  std::erase(sentences, std::string());
  return sentences;
}

std::string size_next_step(const SizedCluster& sized) {
  for (const SiteVerdict& verdict : sized.plan.verdicts)
    if (!verdict.holds)
      return fmt::format("change {}: {} does not hold ({})", verdict.field, verdict.what, verdict.arithmetic);
  if (sized.step && !sized.step->fits) return "change the parallel plan of the job: " + sized.step->verdict;
  if (!sized.plan.uncounted.empty())
    return fmt::format("name parts for {} under cluster.fabric: without them the cost is a lower bound",
                       some_of(sized.plan.uncounted));
  if (!sized.cost.unpriced.empty())
    return fmt::format("add prices of {} to the price list: without them the cost is a lower bound",
                       some_of(sized.cost.unpriced));
  const auto& limits = sized.plan.floor.limits;
  if (limits.size() > 1 && limits[1].nodes > limits[0].nodes) return binding_step(sized.plan.floor);
  if (sized.cost.items.empty()) return "give a price list";
  return fmt::format("replace the prices of {} with your own quotes", sized.cost.price_list);
}

}  // namespace clusterwright
