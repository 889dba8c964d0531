// SPDX-License-Identifier: Apache-2.0
/// One measurement of any kind, predicted.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "calibration/measured/measured_scenario.hpp"
#include "calibration/measured/measurement.hpp"
#include "calibration/measured/measurement_schema.hpp"
#include "calibration/validation/case_result.hpp"
#include "models/job/parameters.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Tokens per second and accelerator. Fields that the source does not publish are chosen, and named in the reason. A
/// plan that seems not to fit is predicted all the same, since it ran; far beyond the memory it is infeasible, since
/// another job must have run.
/// @return unsupported where no model describes the job, infeasible where the job contradicts itself
CaseResult validate_step(const Measurement& measurement, const ScenarioShelf& shelf);

/// Parameters that a user with this accelerator would get.
using CollectiveSetOf = std::function<const CollectiveSet&(const std::string& accelerator)>;

/// Result of one collective case; its times are read for `measured` only.
/// @return unsupported for other kinds, unknown accelerators, and operations without a model
CaseResult validate_collective(const Measurement& measurement, const Catalog& catalog, const CollectiveSetOf& set_of);

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
