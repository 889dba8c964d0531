// SPDX-License-Identifier: Apache-2.0
/// Time that a step loses because replicas are not equally fast.
///
/// Replicas of a job run the same work on different devices, hosts and links, and all meet at the end of a step. The
/// slowest of R replicas lengthens the step by what its own computation is longer:
///
///   jitter = spread * z(R) * C
///   spread  standard deviation of the logarithm of the time of a replica (step calibration)
///   z(R)    expected largest of R standard normal numbers: 0 for 1, 1.42 for 8, 2.34 for 64, 3.04 for 512
///   R       data-parallel degree: ranks that hold the same part of the model and train on different samples
///   C       time of a rank in kernels whose speed the clock sets, mean over the ranks, over 1 less the share of
///           bubbles, which grow with the work around them
///
/// What all replicas have in common, as the mean noise of their devices, is in the fitted factors of stacks. Example:
/// C = 6 s on 128 replicas with a spread of 2 %: 0.02 * 2.59 * 6 s = 0.31 s, and on twice as many 0.34 s. The mean
/// power stays as it is: the energy of the others while they wait is not known apart. Checked against unfolded steps
/// whose replicas have drawn speeds: tests/models/replica_jitter_test.cpp.
#pragma once

#include <cstdint>

#include "models/job/step_calibration.hpp"
#include "models/plan/plan.hpp"
#include "models/settling/step_simulation.hpp"

namespace clusterwright {

/// z(N). @param count  at least 1
double expected_largest(double count);
/// The largest of `count` standard normal numbers of a seed.
double drawn_largest(double count, std::uint64_t seed);

/// Share of C that the slowest replica of a plan is expected to lose: spread * z(R).
double expected_loss(const StepCalibration& calibration, const Plan& plan);

/// C of a step, with or without its jitter.
Seconds computing_time(const StepTime& step);
/// Jitter of the replicas of a step without jitter. @param loss  share of C: expected_loss() or a drawn one
Picoseconds replica_jitter(double loss, const StepTime& step);
/// Adds jitter to the end and the breakdown of a step.
void add_jitter(Picoseconds jitter, StepTime& step);
/// The same with the energy of the longer step.
void add_jitter(Picoseconds jitter, StepSummary& step);

}  // namespace clusterwright
