// SPDX-License-Identifier: Apache-2.0
/// Reader of JSON with comments. Every value knows its position. Duplicate keys, numbers that no double holds, and
/// files beyond the caps are errors.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "sim/json_value.hpp"
#include "sim/source_file.hpp"

namespace clusterwright {

/// Caps against hostile files: about 50 times the largest shipped file of configs/ (see docs/limits.md). A file at the
/// caps takes less than 100 MB of memory.
struct JsonLimits {
  std::size_t bytes = 8u << 20;
  std::size_t depth = 64;
  std::size_t values = 256u << 10;
  std::size_t members = 4096;  ///< members of one object
};

/// Caps of files that hold measurements or samples, which are long lists.
inline constexpr JsonLimits measurement_limits{.bytes = 64u << 20, .depth = 64, .values = 1u << 20, .members = 4096};

/// @throws ConfigError with every duplicate key, or with the syntax error or exceeded cap that stopped the reading
JsonValue read_json(std::shared_ptr<const SourceText> source, const JsonLimits& limits = {});

/// @throws ConfigError also if the file cannot be read
JsonValue read_json_file(const std::filesystem::path& path, const JsonLimits& limits = {});

}  // namespace clusterwright
