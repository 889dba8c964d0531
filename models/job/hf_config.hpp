// SPDX-License-Identifier: Apache-2.0
/// Reads a Hugging Face config.json as a transformer.
#pragma once

#include <string>
#include <vector>

#include "models/job/transformer.hpp"
#include "sim/json_value.hpp"

namespace clusterwright {

struct HfImport {
  std::string family;  ///< model_type of the file
  Transformer transformer;
  JsonValue document;                ///< translated; values keep their places in config.json
  std::vector<std::string> assumed;  ///< defaults that the library takes for missing fields: "head_dim 128"
  std::vector<std::string> notes;    ///< omissions and simplifications
};

/// Whether the document names a "model_type" and no "layers".
bool is_hf_config(const JsonValue& document);

/// @param name  name of the transformer; empty: the last part of "_name_or_path", or the family
/// @throws ConfigError E0342 for a family that is not known, E0343 for numbers that contradict each other, E0313 for
///         layers that Transformer cannot describe, E0104 and E02xx for what is missing or wrong
HfImport import_hf_config(const JsonValue& document, const std::string& name = {});

/// Transformer in the project's own form: the document itself, or a translated config.json.
JsonValue in_own_form(JsonValue transformer);

/// "8.030 billion parameters, all active", with and without further predicted tokens.
std::string parameter_text(const Transformer& transformer);

}  // namespace clusterwright
