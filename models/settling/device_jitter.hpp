// SPDX-License-Identifier: Apache-2.0
/// Time that a step loses because accelerators of one kind are not equally fast.
///
/// Devices of one kind differ under the same load, by silicon and temperature, and keep their difference for weeks.
/// Tensor groups wait for their slowest rank at every collective, a pipeline runs at the pace of its slowest stage, and
/// replicas meet at the end of a step. So the slowest of all N ranks lengthens the step by what its own computation is
/// longer:
///
///   jitter = spread * z(N) * C
///   spread  standard deviation of the logarithm of the speeds (step calibration)
///   z(N)    expected largest of N standard normal numbers: 0 for 1, 1.42 for 8, 3.04 for 512, 3.97 for 16,384
///   C       time of a rank in kernels whose speed the clock sets, mean over the ranks
///
/// Example: C = 6 s on 1,024 accelerators with a spread of 3 %: 0.03 * 3.25 * 6 s = 0.58 s, and on twice as many 0.62
/// s. The mean power stays as it is: the energy of the others while they wait is not known apart. Checked against
/// unfolded steps whose devices have drawn speeds: tests/models/device_jitter_test.cpp.
#pragma once

#include <cstdint>

#include "models/job/step_calibration.hpp"
#include "models/settling/step_simulation.hpp"

namespace clusterwright {

/// z(N). @param count  at least 1
double expected_largest(double count);
/// The largest of `count` standard normal numbers of a seed.
double drawn_largest(double count, std::uint64_t seed);

/// Adds the jitter of so many ranks to the end and the breakdown of a step.
/// @param largest  of as many standard normal numbers: expected_largest() or a drawn one
void add_jitter(const StepCalibration& calibration, double largest, StepTime& step);
/// The same with the energy of the longer step.
void add_jitter(const StepCalibration& calibration, double largest, StepSummary& step);

}  // namespace clusterwright
