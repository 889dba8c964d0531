// SPDX-License-Identifier: Apache-2.0
/// One section of a parameter set from own samples, judged on held-out samples.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/sample_rows.hpp"
#include "models/job/parameters.hpp"

namespace clusterwright {

/// One sample and its error under a fit to the other folds.
struct SampleResidual {
  std::string section;  ///< "gemm/bf16"
  std::string what;     ///< description
  std::string size;     ///< fold: samples of one size were held out together
  bool large = true;
  Seconds measured;
  double error = 0;       ///< log(predicted / measured), held out
  double in_sample = 0;   ///< log(predicted / measured) of the fit to all samples
  double half_width = 0;  ///< half-width of its 90 % band in log, from samples of other folds

  Seconds predicted() const { return measured * std::exp(error); }
  bool inside() const { return std::abs(error) <= half_width; }
};

/// Samples that a section needs to be fitted, and its largest error.
struct SectionRule {
  std::string name;
  std::size_t least_samples = 12;
  std::size_t least_sizes = 4;
  double limit = 0.10;       ///< largest median held-out error of large samples
  std::string large, small;  ///< names of both classes of samples in reports; empty: one class
};

/// Outcome of a section. `checked`: predicted only, whatever its error.
enum class SectionState { fitted, too_few, poor, checked };

struct SectionFit {
  std::string name;
  SectionState state = SectionState::too_few;
  std::size_t samples = 0, sizes = 0;  ///< number of samples, and of different sizes
  std::vector<FitReport> reports;      ///< large samples first
  double coverage = 0;                 ///< share of held-out samples inside their band
  double limit = 0;                    ///< limit of the median
  std::vector<SampleResidual> residuals;
};

/// Fold number of each of `sizes`: equal sizes share one, neighbours differ.
std::vector<int> folds_of(const std::vector<std::string>& sizes);

/// Section with bands, coverage, reports and state. @param folds  fold number of each residual
SectionFit judged(const SectionRule& rule, std::vector<SampleResidual> residuals, const std::vector<int>& folds,
                  const std::string& source);

/// Section of samples that were predicted only. Bands hold out every eighth sample in turn.
SectionFit checked(const SectionRule& rule, std::vector<SampleResidual> residuals);

/// Section from samples: fits all of them, then all but each fold in turn.
/// @param fit  parameters from rows
/// @param error  log(predicted / measured) of one row
template <class Row, class Fit, class ErrorOf>
SectionFit judge(const SectionRule& rule, const std::vector<SampleRow<Row>>& samples, const std::string& source,
                 Fit fit, ErrorOf error) {
  std::vector<std::string> sizes;
  for (const auto& sample : samples) sizes.push_back(sample.size);
  const std::vector<int> folds = folds_of(sizes);
  std::vector<SampleResidual> residuals;
  for (const auto& sample : samples)
    residuals.push_back({rule.name, sample.what, sample.size, sample.large, sample.measured, 0, 0, 0});
  const int count = folds.empty() ? 0 : 1 + *std::max_element(folds.begin(), folds.end());
  for (int held_out = -1; held_out < count && !samples.empty(); ++held_out) {  // -1: nothing is held out
    std::vector<Row> kept;
    for (std::size_t i = 0; i < samples.size(); ++i)
      if (folds[i] != held_out) kept.push_back(samples[i].row);
    const auto parameters = fit(kept);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (held_out < 0) residuals[i].in_sample = error(samples[i].row, parameters);
      if (folds[i] == held_out) residuals[i].error = error(samples[i].row, parameters);
    }
  }
  return judged(rule, std::move(residuals), folds, source);
}

}  // namespace clusterwright
