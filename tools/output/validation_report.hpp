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

/// Reliability of probabilities under fits without the steps of a pair.
struct HeldOutReliability {
  std::string key;   ///< as in SplitErrors: by_model or by_source
  std::string name;  ///< "model held out"
  PairReliability reliability;
};

struct ValidationReport {
  std::vector<InputFile> inputs;
  std::vector<CaseResult> results;  ///< results in the order of the files
  ValidationSummary summary;
  std::optional<std::vector<HeldOutFigures>> cross;                  ///< only when asked for
  HeldOutBaselines cross_baselines;                                  ///< beside `cross`
  std::optional<std::vector<HeldOutReliability>> cross_reliability;  ///< beside `cross`
  bool interrupted = false;                                          ///< whether Ctrl-C left cases or figures out
};

/// The whole answer, as calibration/measurements/README.md defines it, with families and cross-validation beside it.
JsonValue validation_json(const ValidationReport& report, JsonValue header);

/// "ok", "unsupported", "infeasible" or "error".
std::string status_name(CaseStatus status);

/// The measurement set: beside configs, in the source tree or installed. @throws ConfigError E0401 if it is missing
std::filesystem::path measurement_folder();

/// Shipped files of all kinds that have a model. @throws ConfigError E0401 if they are missing
std::vector<std::filesystem::path> shipped_cases();

struct ValidationOptions {
  bool cross = false;                ///< also fits without the predicted cases: takes minutes
  std::filesystem::path parameters;  ///< parameter file in place of the shipped set of the same accelerator
  bool quiet = false;
};

/// Cases run in parallel; the answer does not depend on the number of threads. A broken case is named on standard error
/// and stays among the results; progress goes there too.
/// @throws ConfigError for files that cannot be read, or of which no case can
ValidationReport validate_files(const std::vector<std::filesystem::path>& files, const ValidationOptions& options);

}  // namespace clusterwright
