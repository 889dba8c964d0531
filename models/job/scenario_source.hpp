// SPDX-License-Identifier: Apache-2.0
/// JSON of a scenario before it is decoded: files that are read, references to them, `--set`, and contradictions.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/diagnostic.hpp"
#include "sim/field_spec.hpp"
#include "sim/json_reader.hpp"

namespace clusterwright {

/// File that the result depends on.
struct InputFile {
  std::string path;
  std::string sha256;
};

/// Reads a JSON file and remembers it, with its hash, as an input of the result.
/// @throws ConfigError for files that are missing, too large, or not JSON
JsonValue read_input(const std::filesystem::path& path, std::vector<InputFile>& inputs, const JsonLimits& limits = {});

/// Settings that give values of a job which no file states, as those of a model alone; empty where a file states one.
std::string way_to_set(const std::vector<Place>& places);

/// Collects contradictions between fields that are each valid, with the places of all fields.
class Contradictions {
 public:
  explicit Contradictions(const JsonValue& source) : source_(source) {}

  void report(std::string code, std::string message, const std::vector<std::string>& pointers, std::string help = {}) {
    Diagnostic d{std::move(code), std::move(message), {}, "", std::move(help)};
    for (const std::string& pointer : pointers)
      if (const JsonValue* value = source_.at_pointer(pointer)) d.places.push_back(value->place(pointer));
    if (d.places.empty()) d.places.push_back(source_.place(""));
    if (d.help.empty()) d.help = way_to_set(d.places);
    errors_.push_back(std::move(d));
  }
  void finish() const {
    if (!errors_.empty()) throw ConfigError(errors_);
  }

 private:
  const JsonValue& source_;
  std::vector<Diagnostic> errors_;
};

/// Reads the file at a path and returns its document.
using ReferenceReader = std::function<JsonValue(const std::filesystem::path&)>;

/// Reads a file that another file names. It must be a regular file and have the form of `spec`: whoever writes a
/// scenario may name any file that the program can read, so nothing of a file of another kind is quoted.
/// @param reference  value that names the file; one of the command line may name any file
/// @throws ConfigError at the reference: E0401, E0105 for a file of another kind, E0101 without its words
JsonValue read_named_file(const std::filesystem::path& file, const RecordSpec& spec, const JsonValue& reference,
                          const ReferenceReader& read);

/// Folder that a path in a value starts from: that of its file, or the working directory if an option gave it.
std::filesystem::path folder_of(const JsonValue& value);

/// Replaces each path or name in the place of a record by the contents of that file, recursively. Paths are relative to
/// the file that names them; a name without "/" and ".json" is one of configs/.
/// @throws ConfigError for files that are missing (named with the place of the reference)
void resolve_references(JsonValue& value, const RecordSpec& spec, const ReferenceReader& read);

/// Sets a field and creates the objects on the way: "job.parallel.tensor=8". A number in the path selects an existing
/// element of a list: "cluster.fabric.tiers.1.taper=2". Below a record with "like", an element of a list that the file
/// leaves out is one of the base file's (inherited_lists.hpp). A value that is not JSON is a text.
/// @throws ConfigError E0402 for a path that names no field, with a suggestion; E0404 without "="; E0201 for a number
/// with a suffix ("15T"), with the number to write
void apply_setting(JsonValue& root, const RecordSpec& spec, const std::string& setting, const ReferenceReader& read);

}  // namespace clusterwright
