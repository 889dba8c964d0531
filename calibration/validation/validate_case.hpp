// SPDX-License-Identifier: Apache-2.0
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

/// Parts, stacks and fitted parameters. Constant while cases are predicted, so threads may share it.
struct ValidationContext {
  ScenarioShelf shelf;
  std::map<std::string, CollectiveSet> collectives;  ///< keys: names of parameter sets
};

ValidationContext validation_context(ScenarioShelf shelf);

/// Result of one case. Reads its hardware and its question; its answer for `measured` only; never its id, source or
/// family to choose a number. Any failure stays in this case, as status error with its message.
CaseResult validate_case(const Measurement& measurement, const ValidationContext& context);

/// Result of a case that may break the schema.
CaseResult validate_case(const ReadCase& read, const ValidationContext& context);

}  // namespace clusterwright
