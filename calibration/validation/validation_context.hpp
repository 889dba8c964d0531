/// What cases are predicted with.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/measured/measured_scenario.hpp"
#include "models/job/parameters.hpp"

namespace clusterwright {

/// Parts, stacks and fitted parameters; nothing changes while cases are predicted, so threads may share one.
struct ValidationContext {
  ScenarioShelf shelf;
  std::map<std::string, CollectiveSet> collectives;  ///< by name of the parameter set
};

ValidationContext validation_context(ScenarioShelf shelf);

/// Numbers that a fit, not a definition, a prior or a data sheet, gave: of the parameter sets of these accelerators,
/// and those of the step fit if `steps`.
int fitted_parameters(const ScenarioShelf& shelf, const std::vector<std::string>& accelerators, bool steps);

}  // namespace clusterwright
