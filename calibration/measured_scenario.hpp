/// From a published training step to a scenario that can be predicted.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <variant>

#include "calibration/measurement.hpp"
#include "models/scenario.hpp"
#include "topology/parts.hpp"

namespace clusterwright {

/// Parts and stacks that measured jobs are described with.
struct ScenarioShelf {
  Catalog catalog;
  std::map<std::string, SoftwareStack> stacks;  ///< by name
};

/// @throws ConfigError if a file of `configs` is missing or wrong
ScenarioShelf load_shelf(const std::filesystem::path& configs);

/// The stack that describes a framework of a date; empty if none does.
std::string stack_of(const std::string& framework, const std::string& release);

/// The scenario, or why this version cannot describe the job. Reads hardware, model and job, never `measured`, the
/// case's id, name, source or family.
std::variant<Scenario, std::string> measured_scenario(const Measurement& measurement, const ScenarioShelf& shelf,
                                                      const ParameterSet& parameters);

}  // namespace clusterwright
