// SPDX-License-Identifier: Apache-2.0
/// Scenario of a published training step.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "models/job/scenario.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Parts, stacks and parameters that measured jobs are described with.
struct ScenarioShelf {
  Catalog catalog;
  std::map<std::string, SoftwareStack> stacks;  ///< keys: names
  std::vector<ParameterSet> parameters;
  StepCalibration steps;
};

/// @throws ConfigError if a file of `configs` is missing or wrong
ScenarioShelf load_shelf(const std::filesystem::path& configs);

/// Set fitted for the accelerator, else one that names it as a sibling, else the generic one.
/// @return null if the shelf has none of them
const ParameterSet* parameters_for(const ScenarioShelf& shelf, const std::string& accelerator);

/// Name of the stack that describes a job's framework, by its date, sharding and number format; the generic one of its
/// date for frameworks without a stack of their own.
std::string stack_of(const MeasuredJob& job);

/// Scenario, or the reason why this version cannot describe the job. Reads hardware, model and job, never `measured`,
/// the case's id, name, source or family. Fields that are not published stay open for `choose_plan` to decide.
std::variant<Scenario, std::string> measured_scenario(const Measurement& measurement, const ScenarioShelf& shelf);

}  // namespace clusterwright
