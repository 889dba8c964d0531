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

/// Cases run in parallel; the answer does not depend on the number of threads. A broken case is named on standard error
/// and stays among the results; progress goes there too.
/// @param cross  also fit without what is predicted: minutes
/// @throws ConfigError for files that cannot be read, or of which no case can
ValidationReport validate_files(const std::vector<std::filesystem::path>& files, bool cross, bool quiet);

}  // namespace clusterwright
