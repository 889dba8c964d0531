/// Training steps that really run on this machine, to be put beside the simulator's prediction of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/host/loop/host_model.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Of the measured steps, in their order; what ran before them as warm-up is not here.
struct HostStepTimes {
  std::vector<Seconds> steps;  ///< each the longest of all processes, from the barrier before the step
  /// By step_part_names: each the mean over processes. In a step they sum to the mean of the processes' times.
  std::map<std::string, std::vector<Seconds>> part_steps;
  std::map<std::string, Seconds> parts;  ///< medians of `part_steps`; on a busy machine they need not add up
  /// The shortest all-reduce of all processes, median over steps: that of the process that came last, which waited for
  /// no other to begin.
  Seconds all_reduce_of_last;
  std::vector<double> losses;  ///< in nats: mean over processes, before the step's update
  int processes = 1;
};

/// Trains `model` in `processes` data-parallel processes: one thread each, not pinned; fp32; gradients summed by a ring
/// all-reduce over TCP on 127.0.0.1 between the backward pass and Adam. All steps see the same tokens.
///
/// @param repetitions  measured steps; two more run before them
/// @param time_limit   for everything, from the first fork on
/// @param buckets      all-reduces per step, one after the other: 1 sums all gradients at once
/// @throws ProbeFailure if a process or a socket is refused, a process dies, or the limit passes
/// @throws std::invalid_argument as HostModel::check, or if processes, repetitions or buckets < 1
HostStepTimes run_host_steps(const HostModel& model, int processes, int repetitions, Seconds time_limit,
                             int buckets = 1);

}  // namespace clusterwright
