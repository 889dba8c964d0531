// SPDX-License-Identifier: Apache-2.0
/// Reader of JSON with comments. Every value knows its position. Duplicate keys, numbers that no double holds, and
/// files beyond the caps are errors.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "sim/json_value.hpp"

namespace clusterwright {

/// Caps against hostile files.
struct JsonLimits {
  std::size_t bytes = 64u << 20;
  std::size_t depth = 128;
  std::size_t values = 4u << 20;
  std::size_t members = 8192;  ///< members of one object; keeps the search for duplicates cheap
};

/// @throws ConfigError with every duplicate key, or with the syntax error or exceeded cap that stopped the reading
JsonValue read_json(std::shared_ptr<const SourceText> source, const JsonLimits& limits = {});

/// @throws ConfigError also if the file cannot be read
JsonValue read_json_file(const std::filesystem::path& path, const JsonLimits& limits = {});

/// Reads a whole file. @throws ConfigError E0401 if it is missing, E0501 if it is larger than `cap`
std::shared_ptr<const SourceText> read_source(const std::filesystem::path& path, std::size_t cap);

}  // namespace clusterwright
