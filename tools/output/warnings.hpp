// SPDX-License-Identifier: Apache-2.0
/// Warnings of a result in each format that people read, and in JSON.
#pragma once

#include <string>
#include <vector>

#include "models/prediction/prediction.hpp"
#include "sim/json_value.hpp"
#include "tools/output/output_target.hpp"

namespace clusterwright {

using Warnings = std::vector<std::string>;

/// Warnings about the input, then those of the points. A warning of some points only names their sizes.
Warnings warnings_of(const Warnings& input, const ScaleCurve& curve);

/// Warnings of one of several answers, with its name.
struct NamedWarnings {
  std::string name;
  Warnings warnings;
};

struct AroundNames {
  std::string before = "at ", behind = {};
};

/// Warnings about the input, then those of the answers, each once. One of some answers only names them: "at 8; 16
/// GPUs".
/// @param around  words before and behind the names: "at ", " GPUs"
Warnings warnings_of(Warnings input, const std::vector<NamedWarnings>& answers, const AroundNames& around = {});

/// Warnings about the input, then those of its result.
Warnings warnings_of(const Warnings& input, const Warnings& result);

/// Prints the warnings on standard error if every target has a format without room for them.
void print_warnings(const Warnings& warnings, const std::vector<OutputTarget>& targets);

/// One line each, "warning: ...", after an empty line; empty without warnings.
std::string warnings_text(const Warnings& warnings);
std::string warnings_markdown(const Warnings& warnings);
/// Section of a page; empty without warnings.
std::string warnings_section(const Warnings& warnings);
JsonValue warnings_json(const Warnings& warnings);

}  // namespace clusterwright
