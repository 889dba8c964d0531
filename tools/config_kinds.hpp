// SPDX-License-Identifier: Apache-2.0
/// Kinds of files under `configs/`: recognition and description.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/field_spec.hpp"
#include "sim/json_value.hpp"

namespace clusterwright {

enum class ConfigKind {
  scenario,
  cluster,
  transformer,
  stack,
  parameters,
  catalog,
  collectives,
  steps,
  prices,
  facility,
  blueprint
};

/// Files that describe a cluster with a job on it.
inline bool holds_scenario(ConfigKind kind) {
  return kind == ConfigKind::scenario || kind == ConfigKind::blueprint;
}

/// "scenario", in the order of the enumeration.
const std::vector<std::string>& config_kind_names();

const RecordSpec& spec_of(ConfigKind kind);

/// Every kind with its record, in the order of the enumeration.
std::vector<FileKind> file_kinds();

/// Kind of a document: by "$schema" if it names one, otherwise by keys that only one kind has. A Hugging Face
/// config.json is a transformer.
/// @throws ConfigError E0105 if neither decides
ConfigKind kind_of(const JsonValue& document);

/// Refuses a file of another kind in one sentence, before its keys are refused one by one. A file whose kind is not
/// known passes.
/// @throws ConfigError E0105 for a file of another kind, and as reading it does
void require_kind(const std::filesystem::path& file, ConfigKind wanted, const std::string& command);

/// Whether a file is known to be of a kind. @throws ConfigError as reading it does
bool is_of_kind(const std::filesystem::path& file, ConfigKind kind);

/// Checks a document of its kind by decoding it. @throws ConfigError with every error
void check_document(ConfigKind kind, const JsonValue& document);

}  // namespace clusterwright
