#pragma once

#include <filesystem>
#include <vector>

#include "models/job/scenario.hpp"

namespace clusterwright {

/// Reads a JSON file and remembers it, with its hash, as an input of the result.
/// @throws ConfigError for files that are missing, too large, or not JSON
JsonValue read_input(const std::filesystem::path& path, std::vector<InputFile>& inputs);

}  // namespace clusterwright
