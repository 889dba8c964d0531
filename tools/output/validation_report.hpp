// SPDX-License-Identifier: Apache-2.0
/// Errors of predictions over files of measurements: per case, per family, held out.
#pragma once

#include <filesystem>
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

/// The measurement set: beside configs, in the source tree or installed. @throws ConfigError E0401 if it is missing
std::filesystem::path measurement_folder();

/// The shipped files of the kinds that there are models for. @throws ConfigError E0401 if they are missing
std::vector<std::filesystem::path> shipped_cases();

struct ValidationOptions {
  bool cross = false;                ///< also fit without what is predicted: minutes
  std::filesystem::path parameters;  ///< instead of the shipped set of the accelerator that it was fitted for
  bool quiet = false;
};

/// Cases run in parallel; the answer does not depend on the number of threads. A broken case is named on standard error
/// and stays among the results; progress goes there too.
/// @throws ConfigError for files that cannot be read, or of which no case can
ValidationReport validate_files(const std::vector<std::filesystem::path>& files, const ValidationOptions& options);

}  // namespace clusterwright
