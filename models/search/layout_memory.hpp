// SPDX-License-Identifier: Apache-2.0
/// Memory of the fullest rank, for many plans that share their parts: exactly that of worst_memory().
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/memory/memory_use.hpp"
#include "models/search/stage_table.hpp"

namespace clusterwright {

/// Parts of the memory of a stage that plans share, by class of stages.
using ParameterUses = std::vector<ParameterUse>;
using ActivationUses = std::vector<ActivationUse>;

/// What the parameters of each class of stages take.
ParameterUses parameter_uses(const PlannedJob& planned, const StageTable& stages);

/// Instants at which a stage of each class can be fullest, of the schedules that were asked for.
class ScheduleBook {
 public:
  const std::vector<std::vector<HeldMicroBatches>>& instants(const Plan& plan, const StageTable& stages);

 private:
  using Key = std::tuple<int, int, int, int, int, bool>;
  std::map<Key, std::vector<std::vector<HeldMicroBatches>>> known_;
};

/// What the micro-batches of each class take, on the stage of the class that holds most.
/// @param instants  by class
ActivationUses activation_uses(const PlannedJob& planned, const StageTable& stages,
                               const std::vector<std::vector<HeldMicroBatches>>& instants);

/// Total of the fullest class.
Bytes worst_total(const ParameterUses& parameters, const ActivationUses& activations, const BufferUse& buffers,
                  const SoftwareStack& stack);

}  // namespace clusterwright
