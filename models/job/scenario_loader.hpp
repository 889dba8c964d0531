// SPDX-License-Identifier: Apache-2.0
/// Reads a scenario: resolves references, applies `--set`, looks up stack and parameters, checks everything.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/job/configs_directory.hpp"
#include "models/job/scenario.hpp"
#include "sim/field_spec.hpp"

namespace clusterwright {

/// The parameters that a scenario takes unless it names some: the file fitted for the accelerator itself, else one that
/// names it as a sibling, else what measured relatives have in common.
/// @throws ConfigError E0315 if its data sheet lacks what shares would refer to
std::filesystem::path parameter_file(const AcceleratorPart& part);

struct ScenarioOptions {
  std::vector<std::string> settings;  ///< "path=value", in order
  std::optional<std::filesystem::path> parameters;
};

/// @throws ConfigError with every error found
Scenario load_scenario(const std::filesystem::path& path, const ScenarioOptions& options);

/// The scenario with every default written out; itself a valid scenario file.
JsonValue effective_scenario(const Scenario& scenario);

/// Where each value of the effective scenario came from.
struct Origin {
  std::string path;    ///< "job.parallel.tensor"
  std::string value;   ///< as JSON
  std::string origin;  ///< "configs/scenarios/x.json:12", "--set", "default"
};
std::vector<Origin> origins(const Scenario& scenario);

}  // namespace clusterwright
