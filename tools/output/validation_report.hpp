/// How right the models are: per case, per family, left out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/validation/validation_result.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

struct ValidationReport {
  std::vector<CaseResult> results;
  std::vector<ErrorFigures> families;
  ErrorFigures overall;
  std::optional<std::vector<ErrorFigures>> cross;  ///< only when asked for
  int parameters_used = 0;                         ///< fitted ones behind the predictions
};

/// The whole answer, as calibration/measurements/README.md defines it, with families and cross-validation beside it.
JsonValue validation_json(const ValidationReport& report, JsonValue header);
ResultTable family_table(const ValidationReport& report);
ResultTable cross_table(const ValidationReport& report);
/// Scored points with the largest errors, at most `top`.
ResultTable worst_table(const ValidationReport& report, std::size_t top);
/// One line for each point.
ResultTable case_table(const ValidationReport& report);

}  // namespace clusterwright
