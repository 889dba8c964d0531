/// One measurement of any kind, predicted.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/measured/measured_scenario.hpp"
#include "calibration/measured/measurement_schema.hpp"
#include "calibration/validation/case_result.hpp"
#include "models/job/parameters.hpp"

namespace clusterwright {

/// Parts, stacks and fitted parameters; nothing changes while cases are predicted, so threads may share one.
struct ValidationContext {
  ScenarioShelf shelf;
  std::map<std::string, CollectiveSet> collectives;  ///< by name of the parameter set
};

ValidationContext validation_context(ScenarioShelf shelf);

/// Reads hardware and question of the case, its answer for `measured` only; never its id, source or family to choose a
/// number. Whatever goes wrong stays in this case, as status error with what was said.
CaseResult validate_case(const Measurement& measurement, const ValidationContext& context);

/// The same of a case that may be broken.
CaseResult validate_case(const ReadCase& read, const ValidationContext& context);

}  // namespace clusterwright
