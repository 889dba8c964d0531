// SPDX-License-Identifier: Apache-2.0
/// Checks between a step calibration, a software stack and the stacks that ship.
#pragma once

#include "models/job/stack.hpp"
#include "models/job/step_calibration.hpp"
#include "sim/json_value.hpp"

namespace clusterwright {

/// Refuses a covariance that is none: not one row and column for each fitted number, not symmetric, or with a negative
/// variance in some direction beyond rounding; and fitted numbers that the calibration does not have.
/// @throws ConfigError E0202, E0203 at the place in `document`
void check_covariance(const StepCalibration& calibration, const JsonValue& document);

/// Refuses a stack whose `calibrated` names no entry. @throws ConfigError E0203 at the place in `document`
void check_entry(const SoftwareStack& stack, const StepCalibration& calibration, const JsonValue& document);

/// Whether two stacks do the same: all fields are equal but name, date, entry, layouts, and origins of numbers.
bool same_content(const SoftwareStack& a, const SoftwareStack& b);

}  // namespace clusterwright
