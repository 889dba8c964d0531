// SPDX-License-Identifier: Apache-2.0
/// Fields that were given and that change nothing: used or refused.
///
/// A file describes a machine for several commands, so a field that has no effect is named in one warning. A value on
/// the command line (--set) asks what a change would do; without effect it is refused.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"

namespace clusterwright {

/// Commands that answer for a scenario.
enum class ScenarioReader { run, scale, size, search, wave };

/// What becomes of a field without effect.
enum class UnusedKind {
  needless,   ///< named in a warning; refused on the command line
  describes,  ///< describes a machine, for other jobs and commands too: only refused on the command line
  lowered     ///< a legal choice that the models treat as another: named in a warning
};

struct UnusedField {
  std::string path;  ///< "job.parallel.context_exchange", or "cluster.facility" where nothing below is read
  std::string why;   ///< "context is 1"
  const JsonValue* value = nullptr;
  bool typed = false;  ///< given on the command line
  UnusedKind kind = UnusedKind::needless;
};

/// Fields of the scenario's document that are given, differ from their default, and do not matter to the command.
/// `value`s point into `scenario.source`.
std::vector<UnusedField> unused_fields(const Scenario& scenario, ScenarioReader reader);

/// @return nothing, or one sentence that names the fields and why they do not matter
/// @throws ConfigError E0339 with every field that has no place on the command line
std::vector<std::string> check_unused(const std::vector<UnusedField>& fields);

}  // namespace clusterwright
