// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/held_out.hpp"

#include <cmath>
#include <set>

namespace clusterwright {

namespace {

/// Cases of a split that satisfy `wanted(result, place in the split)`, with their held-out predictions.
std::vector<CaseResult> held_out_results(const SplitErrors& split, const std::vector<CaseResult>& results,
                                         auto wanted) {
  std::vector<CaseResult> out;
  for (std::size_t i = 0; i < split.errors.size(); ++i) {
    const auto& [index, error] = split.errors[i];
    if (!wanted(results.at(index), i)) continue;
    CaseResult one = results[index];
    const double predicted = one.measured.front() * std::exp(error);
    const double width = split.half_widths.empty() ? 0 : split.half_widths[i];
    one.status = CaseStatus::ok;
    one.predicted = {predicted};
    one.low = {predicted * std::exp(-width)};
    one.high = {predicted * std::exp(width)};
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

std::vector<HeldOutFigures> split_figures(const SplitErrors& split, const std::vector<CaseResult>& results) {
  const auto all = held_out_results(split, results, [](const CaseResult&, std::size_t) { return true; });
  const auto known =
      held_out_results(split, results, [](const CaseResult& one, std::size_t) { return one.known == true; });
  const auto chosen =
      held_out_results(split, results, [](const CaseResult& one, std::size_t) { return one.known == false; });
  const auto mixtures =
      held_out_results(split, results, [](const CaseResult& one, std::size_t) { return one.mixture == true; });
  std::vector<HeldOutFigures> out = {
      {split.key, error_figures(split.name, all)},
      {split.key, mean_of_groups(split.name + ", mean of families", family_figures(all))},
      {split.key, error_figures(split.name + ", job published", known)},
      {split.key, error_figures(split.name + ", something chosen", chosen)}};
  if (!mixtures.empty()) out.push_back({split.key, error_figures(split.name + ", mixtures of experts", mixtures)});
  for (const std::string& group : std::set<std::string>(split.groups.begin(), split.groups.end())) {
    if (group.empty()) continue;
    const auto own = [&](const CaseResult&, std::size_t i) { return split.groups[i] == group; };
    out.push_back({split.key, error_figures(group, held_out_results(split, results, own))});
  }
  return out;
}

}  // namespace clusterwright
