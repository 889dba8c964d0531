// SPDX-License-Identifier: Apache-2.0
/// Training steps that run on this machine, for comparison with the simulator's prediction.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/host/loop/host_model.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Measured steps in their order, without warm-up.
struct HostStepTimes {
  std::vector<Seconds> steps;  ///< longest of all processes, from the barrier before the step
  /// Parts of each step by step_part_names, mean over processes; they sum to the mean of the processes' times.
  std::map<std::string, std::vector<Seconds>> part_steps;
  std::map<std::string, Seconds> parts;  ///< medians of `part_steps`; on a busy machine they may not add up
  /// Shortest all-reduce of all processes, median over steps: that of the last process to arrive, which waits for no
  /// other.
  Seconds all_reduce_of_last;
  std::vector<double> losses;  ///< nats, mean over processes, before the step's update
  int processes = 1;
};

/// Trains `model` in `processes` data-parallel processes: one thread each, not pinned; fp32; gradients summed by a ring
/// all-reduce over TCP on 127.0.0.1 between the backward pass and Adam. All steps see the same tokens.
///
/// @param repetitions  measured steps; two more run before them
/// @param time_limit  for the whole run, from the first fork on
/// @param buckets  all-reduces per step, one after the other; 1 sums all gradients at once
/// @throws ProbeFailure if a process or a socket is refused, a process dies, or the limit passes
/// @throws std::invalid_argument as HostModel::check, or if processes, repetitions or buckets < 1
HostStepTimes run_host_steps(const HostModel& model, int processes, int repetitions, Seconds time_limit,
                             int buckets = 1);

}  // namespace clusterwright
