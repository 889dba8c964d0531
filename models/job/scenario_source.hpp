// SPDX-License-Identifier: Apache-2.0
/// The JSON of a scenario before it is decoded: references to other files, and `--set`.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/diagnostic.hpp"
#include "sim/field_spec.hpp"
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

/// Collects contradictions between fields, each with the places of all.
class Contradictions {
 public:
  explicit Contradictions(const JsonValue& source) : source_(source) {}

  void report(std::string code, std::string message, const std::vector<std::string>& pointers, std::string help = {}) {
    Diagnostic d{std::move(code), std::move(message), {}, "", std::move(help)};
    for (const std::string& pointer : pointers)
      if (const JsonValue* value = source_.at_pointer(pointer)) d.places.push_back(value->place(pointer));
    if (d.places.empty()) d.places.push_back(source_.place(""));
    errors_.push_back(std::move(d));
  }
  void finish() const {
    if (!errors_.empty()) throw ConfigError(errors_);
  }

 private:
  const JsonValue& source_;
  std::vector<Diagnostic> errors_;
};

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
