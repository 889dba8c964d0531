// SPDX-License-Identifier: Apache-2.0
/// The product's answer for a training step of this host: its scenario lowered and replayed like any other.
#pragma once

#include <map>
#include <string>

#include "calibration/host/loop/host_model.hpp"
#include "calibration/host/loop/host_times.hpp"

namespace clusterwright {

struct HostStepPrediction {
  Seconds step;
  Seconds low, high;                     ///< 90 % interval
  std::map<std::string, Seconds> parts;  ///< by step_part_names, of one process
};

/// `processes` alike, data-parallel; each has a core of its own.
/// @throws ConfigError E0341 if the costs lack a kernel of the step
/// @throws std::invalid_argument as HostModel::check, or without a process
HostStepPrediction predict_host_step(const HostModel& model, int processes, const HostTimes& costs);

}  // namespace clusterwright
