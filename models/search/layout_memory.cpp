// SPDX-License-Identifier: Apache-2.0
#include "models/search/layout_memory.hpp"

#include <algorithm>

#include "models/memory/activation_memory.hpp"

namespace clusterwright {

ParameterUses parameter_uses(const PlannedJob& planned, const StageTable& stages) {
  ParameterUses uses;
  for (int c = 0; c < stages.classes(); ++c) uses.push_back(parameter_use(planned, stages.first_of(c)));
  return uses;
}

const std::vector<std::vector<HeldMicroBatches>>& ScheduleBook::instants(const Plan& plan) {
  const int matter = std::min(plan.micro_batches, 4 * plan.interleaving_group());
  const Key key{plan.pipeline, plan.virtual_pipeline,     static_cast<int>(plan.schedule),
                matter,        plan.interleaving_group(), plan.paired};
  const auto [entry, fresh] = known_.try_emplace(key);
  if (fresh)
    for (int stage = 0; stage < plan.pipeline; ++stage) entry->second.push_back(fullest_instants(plan, stage));
  return entry->second;
}

ActivationUses activation_uses(const PlannedJob& planned, const StageTable& stages, ScheduleBook& schedules) {
  const auto& instants = schedules.instants(planned.plan);
  const Bytes working = working_memory(planned);
  ActivationUses uses;
  std::vector<std::vector<ChunkBytes>> chunks;
  for (int c = 0; c < stages.classes(); ++c) {
    const int first = stages.first_of(c);
    chunks.push_back(bytes_by_chunk(planned, first));
    uses.push_back({{}, logit_memory(planned, first), working});
  }
  for (int stage = 0; stage < stages.stages(); ++stage) {
    const auto c = static_cast<std::size_t>(stages.class_of(stage));
    uses[c].stored = std::max(uses[c].stored,
                              stored_activations(planned, stage, chunks[c], instants[static_cast<std::size_t>(stage)]));
  }
  return uses;
}

Bytes worst_total(const ParameterUses& parameters, const ActivationUses& activations, const BufferUse& buffers,
                  const SoftwareStack& stack) {
  Bytes worst;
  for (std::size_t c = 0; c < parameters.size(); ++c)
    worst = std::max(worst, joined(parameters[c], activations[c], buffers, stack).total());
  return worst;
}

}  // namespace clusterwright
