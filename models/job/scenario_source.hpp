// SPDX-License-Identifier: Apache-2.0
/// The JSON of a scenario before it is decoded: references to other files, and `--set`.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "sim/field_spec.hpp"
#include "sim/json_value.hpp"

namespace clusterwright {

using ReferenceReader = std::function<JsonValue(const std::filesystem::path&)>;

/// Replaces each path that stands where a record may be referenced by the contents of that file, as far down as it
/// goes. Paths are relative to the file that names them.
/// @throws ConfigError for files that are missing (named with the place of the reference)
void resolve_references(JsonValue& value, const RecordSpec& spec, const ReferenceReader& read);

/// "job.parallel.tensor=8": sets a field, creating the objects on the way; "cluster.fabric.tiers.1.taper=2" goes into
/// an element of a list that is there. The value is JSON, or else a text.
/// @throws ConfigError E0402 for a path that names no field, with a suggestion; E0404 without "="
void apply_setting(JsonValue& root, const RecordSpec& spec, const std::string& setting, const ReferenceReader& read);

}  // namespace clusterwright
