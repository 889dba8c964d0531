/// Predicted against measured: of one case, of a family, of all.
#pragma once

#include <string>
#include <vector>

namespace clusterwright {

enum class CaseStatus { ok, unsupported, infeasible, error };

/// One case; numbers are in the unit of the case's score field, one entry for each point.
struct CaseResult {
  std::string id;
  std::string family;
  bool scored = true;
  CaseStatus status = CaseStatus::ok;
  std::string reason;
  std::string unit;
  bool is_list = true;  ///< the kind has points; else one number
  std::vector<double> predicted, low, high;
  std::vector<double> measured;
};

/// Errors are log(predicted / measured). A case weighs 1, its points share that equally.
struct ErrorFigures {
  std::string name;
  int n = 0;            ///< scored cases
  double coverage = 0;  ///< share of them with a valid prediction
  double median_abs_log = 0;
  double p90_abs_log = 0;
  double bias = 0;               ///< weighted median of the error
  double within_10_percent = 0;  ///< share
  double in_interval = 0;        ///< share of measured values inside low to high
  double median_half_width = 0;  ///< of the interval, as a log
};

/// Over the scored cases of `results`; all zero without any.
ErrorFigures error_figures(const std::string& name, const std::vector<CaseResult>& results);

/// One for each family, in the order of first appearance.
std::vector<ErrorFigures> family_figures(const std::vector<CaseResult>& results);

}  // namespace clusterwright
