// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/error_figures.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace clusterwright {

namespace {

double mean_where(const std::vector<Weighted>& values, auto holds) {
  double total = 0, holding = 0;
  for (const Weighted& one : values) {
    total += one.weight;
    if (holds(one.value)) holding += one.weight;
  }
  return total > 0 ? holding / total : 0;
}

/// Points of the scored and valid cases, each with its weight.
struct Points {
  std::vector<Weighted> errors, absolute, inside, half_width;
};

Points points_of(const std::vector<const CaseResult*>& results) {
  Points out;
  for (const CaseResult* result : results) {
    if (!result->scored || !is_valid(*result)) continue;
    const double weight = result->weight / static_cast<double>(result->measured.size());
    for (std::size_t i = 0; i < result->measured.size(); ++i) {
      const double error = std::log(result->predicted[i] / result->measured[i]);
      out.errors.push_back({error, weight});
      out.absolute.push_back({std::abs(error), weight});
      const bool holds = result->low[i] <= result->measured[i] && result->measured[i] <= result->high[i];
      out.inside.push_back({holds ? 1.0 : 0.0, weight});
      out.half_width.push_back({std::log(result->high[i] / result->low[i]) / 2, weight});
    }
  }
  return out;
}

ErrorFigures figures_of(const std::string& name, const std::vector<const CaseResult*>& results) {
  ErrorFigures out;
  out.name = name;
  double all = 0, valid = 0;
  for (const CaseResult* result : results) {
    if (!result->scored) continue;
    ++out.n;
    all += result->weight;
    if (is_valid(*result)) valid += result->weight;
  }
  const Points points = points_of(results);
  if (out.n > 0) out.coverage = valid / all;
  out.median_abs_log = weighted_quantile(points.absolute, 0.5);
  out.p90_abs_log = weighted_quantile(points.absolute, 0.9);
  out.bias = weighted_quantile(points.errors, 0.5);
  out.within_10_percent = mean_where(points.absolute, [](double e) { return e <= std::log(1.1); });
  out.in_interval = mean_where(points.inside, [](double one) { return one > 0; });
  out.median_half_width = weighted_quantile(points.half_width, 0.5);
  return out;
}

}  // namespace

double weighted_quantile(std::vector<Weighted> values, double share) {
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  double total = 0, below = 0;
  for (const Weighted& one : values) total += one.weight;
  for (const Weighted& one : values)
    if ((below += one.weight) >= share * total) return one.value;
  return values.empty() ? 0 : values.back().value;
}

ErrorFigures error_figures(const std::string& name, const std::vector<CaseResult>& results) {
  std::vector<const CaseResult*> all;
  for (const CaseResult& result : results) all.push_back(&result);
  return figures_of(name, all);
}

std::vector<ErrorFigures> grouped_figures(const std::vector<CaseResult>& results,
                                          const std::function<std::string(const CaseResult&)>& group) {
  std::vector<std::pair<std::string, std::vector<const CaseResult*>>> groups;
  for (const CaseResult& result : results) {
    const std::string name = group(result);
    if (name.empty()) continue;
    auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == name; });
    if (at == groups.end()) at = groups.insert(groups.end(), {name, {}});
    at->second.push_back(&result);
  }
  std::vector<ErrorFigures> out;
  for (const auto& [name, members] : groups) out.push_back(figures_of(name, members));
  return out;
}

std::vector<ErrorFigures> family_figures(const std::vector<CaseResult>& results) {
  return grouped_figures(results, [](const CaseResult& result) { return result.family; });
}

ErrorFigures mean_of_groups(const std::string& name, const std::vector<ErrorFigures>& groups) {
  ErrorFigures out;
  out.name = name;
  for (const ErrorFigures& one : groups) {
    if (one.coverage <= 0) continue;
    ++out.n;
    for (double ErrorFigures::*figure :
         {&ErrorFigures::coverage, &ErrorFigures::median_abs_log, &ErrorFigures::p90_abs_log, &ErrorFigures::bias,
          &ErrorFigures::within_10_percent, &ErrorFigures::in_interval, &ErrorFigures::median_half_width})
      out.*figure += (one.*figure - out.*figure) / out.n;
  }
  return out;
}

}  // namespace clusterwright
