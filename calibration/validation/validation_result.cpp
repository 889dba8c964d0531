#include "calibration/validation/validation_result.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace clusterwright {

namespace {

struct Weighted {
  double value;
  double weight;
};

/// Smallest value at which the weights below reach `share` of all.
double quantile(std::vector<Weighted> values, double share) {
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  double total = 0, below = 0;
  for (const Weighted& one : values) total += one.weight;
  for (const Weighted& one : values)
    if ((below += one.weight) >= share * total) return one.value;
  return values.empty() ? 0 : values.back().value;
}

double mean_where(const std::vector<Weighted>& values, auto holds) {
  double total = 0, holding = 0;
  for (const Weighted& one : values) {
    total += one.weight;
    if (holds(one.value)) holding += one.weight;
  }
  return total > 0 ? holding / total : 0;
}

bool is_valid(const CaseResult& result) {
  const auto good = [](double value) { return std::isfinite(value) && value > 0; };
  return result.status == CaseStatus::ok && result.predicted.size() == result.measured.size() &&
         std::all_of(result.predicted.begin(), result.predicted.end(), good);
}

/// Every point of the scored and valid cases.
struct Points {
  std::vector<Weighted> errors, absolute, inside, half_width;
};

Points points_of(const std::vector<CaseResult>& results) {
  Points out;
  for (const CaseResult& result : results) {
    if (!result.scored || !is_valid(result)) continue;
    const double weight = 1.0 / static_cast<double>(result.measured.size());
    for (std::size_t i = 0; i < result.measured.size(); ++i) {
      const double error = std::log(result.predicted[i] / result.measured[i]);
      out.errors.push_back({error, weight});
      out.absolute.push_back({std::abs(error), weight});
      const bool holds = result.low[i] <= result.measured[i] && result.measured[i] <= result.high[i];
      out.inside.push_back({holds ? 1.0 : 0.0, weight});
      out.half_width.push_back({std::log(result.high[i] / result.low[i]) / 2, weight});
    }
  }
  return out;
}

}  // namespace

ErrorFigures error_figures(const std::string& name, const std::vector<CaseResult>& results) {
  ErrorFigures out;
  out.name = name;
  int valid = 0;
  for (const CaseResult& result : results) {
    out.n += result.scored;
    valid += result.scored && is_valid(result);
  }
  const Points points = points_of(results);
  if (out.n > 0) out.coverage = static_cast<double>(valid) / out.n;
  out.median_abs_log = quantile(points.absolute, 0.5);
  out.p90_abs_log = quantile(points.absolute, 0.9);
  out.bias = quantile(points.errors, 0.5);
  out.within_10_percent = mean_where(points.absolute, [](double e) { return e <= std::log(1.1); });
  out.in_interval = mean_where(points.inside, [](double one) { return one > 0; });
  out.median_half_width = quantile(points.half_width, 0.5);
  return out;
}

std::vector<ErrorFigures> family_figures(const std::vector<CaseResult>& results) {
  std::vector<std::pair<std::string, std::vector<CaseResult>>> families;
  for (const CaseResult& result : results) {
    const auto at = std::find_if(families.begin(), families.end(),
                                 [&](const auto& family) { return family.first == result.family; });
    if (at == families.end())
      families.push_back({result.family, {result}});
    else
      at->second.push_back(result);
  }
  std::vector<ErrorFigures> out;
  for (const auto& [name, members] : families) out.push_back(error_figures(name, members));
  return out;
}

}  // namespace clusterwright
