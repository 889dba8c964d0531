// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/sample_section.hpp"

#include <map>
#include <set>

#include "calibration/fit/sourced_value.hpp"

namespace clusterwright {

namespace {

constexpr int most_folds = 8;
constexpr std::size_t enough_to_judge = 4;
constexpr std::size_t enough_for_band = 10;  // samples of one class; fewer use both classes
constexpr double band = 0.9;

/// Value that a new sample from the same distribution stays below with a probability of 90 % (split conformal).
double conformal_quantile(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(band * static_cast<double>(values.size() + 1));
  return values[std::min(values.size() - 1, static_cast<std::size_t>(rank) - 1)];
}

/// Absolute errors outside the fold of `own`, from its class or from both.
std::vector<double> others(const std::vector<SampleResidual>& residuals, const std::vector<int>& folds, std::size_t own,
                           bool one_class) {
  std::vector<double> out;
  for (std::size_t i = 0; i < residuals.size(); ++i)
    if (folds[i] != folds[own] && (!one_class || residuals[i].large == residuals[own].large))
      out.push_back(std::abs(residuals[i].error));
  return out;
}

void add_bands(std::vector<SampleResidual>& residuals, const std::vector<int>& folds) {
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    std::vector<double> peers = others(residuals, folds, i, true);
    if (peers.size() < enough_for_band) peers = others(residuals, folds, i, false);
    residuals[i].half_width = conformal_quantile(std::move(peers));
  }
}

FitReport class_report(const std::string& name, const std::vector<SampleResidual>& residuals, bool large, bool both,
                       const std::string& source) {
  std::vector<double> seen, unseen;
  for (const SampleResidual& one : residuals) {
    if (!both && one.large != large) continue;
    seen.push_back(one.in_sample);
    unseen.push_back(one.error);
  }
  return report(name, seen, unseen, source);
}

double share_inside(const std::vector<SampleResidual>& residuals) {
  const auto inside = std::count_if(residuals.begin(), residuals.end(), [](const auto& one) { return one.inside(); });
  return residuals.empty() ? 0 : static_cast<double>(inside) / static_cast<double>(residuals.size());
}

/// Median held-out error of large samples, which steps are made of; of all samples where few are large.
double judged_median(const SectionFit& fit, const std::vector<SampleResidual>& residuals) {
  if (fit.reports.front().rows >= static_cast<int>(enough_to_judge)) return fit.reports.front().held_out_median_abs_log;
  std::vector<double> errors;
  for (const SampleResidual& one : residuals) errors.push_back(one.error);
  return summarise(std::move(errors)).median;
}

SectionState state_of(const SectionRule& rule, const SectionFit& fit, const std::vector<SampleResidual>& residuals) {
  if (fit.samples < rule.least_samples || fit.sizes < rule.least_sizes) return SectionState::too_few;
  return judged_median(fit, residuals) > rule.limit ? SectionState::poor : SectionState::fitted;
}

}  // namespace

std::vector<int> folds_of(const std::vector<std::string>& sizes) {
  std::map<std::string, int> numbers;
  for (const std::string& size : sizes) numbers.emplace(size, 0);
  int next = 0;
  for (auto& [size, number] : numbers) number = next++ % most_folds;
  std::vector<int> out;
  for (const std::string& size : sizes) out.push_back(numbers.at(size));
  return out;
}

SectionFit judged(const SectionRule& rule, std::vector<SampleResidual> residuals, const std::vector<int>& folds,
                  const std::string& source) {
  add_bands(residuals, folds);
  SectionFit out{rule.name, SectionState::too_few, residuals.size(), 0, {}, share_inside(residuals), rule.limit, {}};
  std::set<std::string> sizes;
  for (const SampleResidual& one : residuals) sizes.insert(one.size);
  out.sizes = sizes.size();
  const std::string from = source + "; held out: an eighth of the sizes in turn";
  const bool one = rule.small.empty();
  out.reports.push_back(class_report(rule.name + rule.large, residuals, true, one, from));
  if (!one) out.reports.push_back(class_report(rule.name + rule.small, residuals, false, false, from));
  std::erase_if(out.reports, [](const FitReport& report) { return report.rows == 0; });
  if (!out.reports.empty()) out.state = state_of(rule, out, residuals);
  out.residuals = std::move(residuals);
  return out;
}

SectionFit checked(const SectionRule& rule, std::vector<SampleResidual> residuals) {
  std::vector<int> folds;
  for (std::size_t i = 0; i < residuals.size(); ++i) folds.push_back(static_cast<int>(i) % most_folds);
  SectionFit out = judged(rule, std::move(residuals), folds, "predicted, nothing fitted");
  out.state = SectionState::checked;
  return out;
}

}  // namespace clusterwright
