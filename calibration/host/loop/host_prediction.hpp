// SPDX-License-Identifier: Apache-2.0
/// Training step of this host (transformer_step.cpp, host_trainer.cpp) as the product describes and predicts it: a
/// stack and a scenario, lowered and replayed like any other.
#pragma once

#include <map>
#include <string>

#include "calibration/host/loop/host_model.hpp"
#include "calibration/host/loop/host_times.hpp"
#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"

namespace clusterwright {

/// Kernels of the trainer, in fp32: the last multiply of a block adds to a copy of the residual stream, the backward
/// pass of a norm adds to its gradient; attention is multiplies over whole squares and a softmax; the loss leaves its
/// gradient; gradients are written, neither clipped nor cleared, and summed at once behind the backward pass.
SoftwareStack host_stack();

/// `processes` alike, data-parallel, each on a core of its own.
Scenario host_scenario(const HostModel& model, int processes, const HostTimes& times);

Plan host_plan(const HostModel& model, int processes);

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
