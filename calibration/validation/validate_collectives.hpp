// SPDX-License-Identifier: Apache-2.0
/// Predicts published collectives.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/validation/case_result.hpp"
#include "models/job/parameters.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Parameters that a user with this accelerator would get.
using CollectiveSetOf = std::function<const CollectiveSet&(const std::string& accelerator)>;

/// Result of one collective case; its times are read for `measured` only.
/// @return unsupported for other kinds, unknown accelerators, and operations without a model
CaseResult validate_collective(const Measurement& measurement, const std::vector<AcceleratorPart>& catalog,
                               const CollectiveSetOf& set_of);

}  // namespace clusterwright
