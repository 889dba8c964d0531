// SPDX-License-Identifier: Apache-2.0
/// How right the models are: per case, per family, left out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/validation/held_out.hpp"
#include "calibration/validation/validation_summary.hpp"
#include "models/job/scenario.hpp"
#include "sim/json_value.hpp"

namespace clusterwright {

struct ValidationReport {
  std::vector<InputFile> inputs;
  std::vector<CaseResult> results;  ///< in the order of the files
  ValidationSummary summary;
  std::optional<std::vector<HeldOutFigures>> cross;  ///< only when asked for
};

/// The whole answer, as calibration/measurements/README.md defines it, with families and cross-validation beside it.
JsonValue validation_json(const ValidationReport& report, JsonValue header);

/// "ok", "unsupported", "infeasible" or "error".
std::string status_name(CaseStatus status);

}  // namespace clusterwright
