// SPDX-License-Identifier: Apache-2.0
/// Cost of one failed part to a job: a slower step, or a job that stops and how it goes on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/prediction/prediction.hpp"
#include "models/prediction/way_on.hpp"
#include "topology/cluster/lost_device.hpp"

namespace clusterwright {

/// Parts that fail together.
struct PartFailure {
  std::string kind;                  ///< of the one part, as FailingPart says; may be empty
  std::vector<std::string> faults;   ///< of the network, as `parse_fault` reads them
  std::vector<std::string> devices;  ///< as `parse_lost_device` reads them

  /// "gpu:3" or "leaf:0, node:5".
  std::string name() const;
};

/// Failure of a given name. @param names  each as `parse_fault` or `parse_lost_device` reads it
PartFailure failure_of(const std::vector<std::string>& names, std::string kind = {});

/// What a failure does to a job that ran before.
struct FailureCost {
  PartFailure failure;
  int accelerators = 0;              ///< ranks that die, are cut off, or lose a path to others
  std::string consequence;           ///< "32 GPUs take the next NIC of their nodes"
  bool stops = false;                ///< whether the job cannot go on
  std::optional<Seconds> step_time;  ///< of the job that goes on; absent if it stops
  std::vector<WayOn> ways;           ///< of a job that stops: on spare nodes, with fewer replicas

  /// Share of the tokens/s before the failure that is missing: of a job that stops all of them, of a way those of its
  /// steps. Negative where a step is faster.
  double loss(const StepPrediction& before) const;
};
double loss(const WayOn& way, const StepPrediction& before);
/// Tokens per second of steps of a batch. @param sequence  tokens of one
double tokens_per_second(Seconds step_time, int global_batch, int sequence);

/// Cost of one failure.
/// @param before  prediction of `scenario`
/// @throws ConfigError E0321 for a part that is not there or that the job does not use, E0339 for faults of a network
/// that the cluster does not have
FailureCost failure_cost(const Scenario& scenario, const StepPrediction& before, const PartFailure& failure);

/// Cost of one failed part of each kind (failing_parts): of several parts the one that costs most, of equal ones the
/// first.
std::vector<FailureCost> blast_radius(const Scenario& scenario, const StepPrediction& before);

}  // namespace clusterwright
