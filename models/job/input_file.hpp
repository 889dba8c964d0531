// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/json_value.hpp"

namespace clusterwright {

/// A file that the result depends on.
struct InputFile {
  std::string path;
  std::string sha256;
};

/// Reads a JSON file and remembers it, with its hash, as an input of the result.
/// @throws ConfigError for files that are missing, too large, or not JSON
JsonValue read_input(const std::filesystem::path& path, std::vector<InputFile>& inputs);

}  // namespace clusterwright
