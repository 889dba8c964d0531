// SPDX-License-Identifier: Apache-2.0
/// Reads files of measurements and predicts every case.
#pragma once

#include <filesystem>
#include <vector>

#include "tools/output/validation_report.hpp"

namespace clusterwright {

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
