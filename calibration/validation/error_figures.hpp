// SPDX-License-Identifier: Apache-2.0
/// Errors of many cases in a few figures.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/validation/case_result.hpp"

namespace clusterwright {

struct Weighted {
  double value = 0;
  double weight = 1;
};

/// Smallest value at which the weights below reach `share` of all; 0 without values.
double weighted_quantile(std::vector<Weighted> values, double share);

/// Figures of errors log(predicted / measured). Cases weigh CaseResult::weight, which their points share equally: the
/// rows of a cell count as one.
struct ErrorFigures {
  std::string name;
  int n = 0;            ///< scored cases
  double coverage = 0;  ///< weighted share of scored cases with a valid prediction
  double median_abs_log = 0;
  double p90_abs_log = 0;
  double bias = 0;               ///< weighted median of the error
  double within_10_percent = 0;  ///< share of errors up to 10 %
  double in_interval = 0;        ///< share of measured values inside low to high
  double median_half_width = 0;  ///< half-width of the interval, as a log
};

/// Figures of the scored cases of `results`; all zero without any.
ErrorFigures error_figures(const std::string& name, const std::vector<CaseResult>& results);

/// Figures by group, in the order of first appearance; cases with an empty group name are skipped.
std::vector<ErrorFigures> grouped_figures(const std::vector<CaseResult>& results,
                                          const std::function<std::string(const CaseResult&)>& group);

/// Figures by family, in the order of first appearance.
std::vector<ErrorFigures> family_figures(const std::vector<CaseResult>& results);

/// Mean of every figure over the groups that have a valid prediction, so that big groups do not drown small ones; n is
/// the number of groups.
ErrorFigures mean_of_groups(const std::string& name, const std::vector<ErrorFigures>& groups);

}  // namespace clusterwright
