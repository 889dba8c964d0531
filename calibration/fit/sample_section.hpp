/// One section of a parameter set from own samples, judged on samples that its fit did not see.
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

/// A sample against what a fit to the other folds said of it.
struct SampleResidual {
  std::string section;  ///< "gemm/bf16"
  std::string what;     ///< for people
  std::string size;     ///< samples of one size were held back together
  bool large = true;
  Seconds measured;
  double error = 0;       ///< log(predicted / measured), held back
  double in_sample = 0;   ///< the same with the sample among the others
  double half_width = 0;  ///< of its 90 % band, in log: what samples of other folds showed

  Seconds predicted() const { return measured * std::exp(error); }
  bool inside() const { return std::abs(error) <= half_width; }
};

/// What a section needs to be fitted, and how far off it may be.
struct SectionRule {
  std::string name;
  std::size_t least_samples = 12;
  std::size_t least_sizes = 4;
  double limit = 0.10;       ///< of the median held-back error where samples are large
  std::string large, small;  ///< names of the two classes of samples, as reports write them; empty: one class
};

/// What became of a section; `checked`: nothing was fitted, whatever its error.
enum class SectionState { fitted, too_few, poor, checked };

struct SectionFit {
  std::string name;
  SectionState state = SectionState::too_few;
  std::size_t samples = 0, sizes = 0;  ///< sizes that differ
  std::vector<FitReport> reports;      ///< large samples first
  double coverage = 0;                 ///< share of held-back samples inside their band
  double limit = 0;                    ///< that the median was held to
  std::vector<SampleResidual> residuals;
};

/// Number of the fold of each of `sizes`: equal sizes together, neighbours in different ones.
std::vector<int> folds_of(const std::vector<std::string>& sizes);

/// Fills in bands, coverage, reports and state from residuals in the order of `folds`.
SectionFit judged(const SectionRule& rule, std::vector<SampleResidual> residuals, const std::vector<int>& folds,
                  const std::string& source);

/// A section of samples that were predicted and not fitted to. Bands are those of every eighth in turn.
SectionFit checked(const SectionRule& rule, std::vector<SampleResidual> residuals);

/// @param fit    parameters from rows
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
  for (int held_out = -1; held_out < count && !samples.empty(); ++held_out) {  // -1: nothing
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
