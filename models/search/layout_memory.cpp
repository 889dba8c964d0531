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

const std::vector<std::vector<HeldMicroBatches>>& ScheduleBook::instants(const Plan& plan, const StageTable& stages) {
  const int matter = std::min(plan.micro_batches, 4 * plan.interleaving_group());
  const Key key{plan.pipeline, plan.virtual_pipeline,     static_cast<int>(plan.schedule),
                matter,        plan.interleaving_group(), plan.paired};
  const auto [entry, fresh] = known_.try_emplace(key);
  if (fresh) {
    entry->second.resize(static_cast<std::size_t>(stages.classes()));
    for (int stage = 0; stage < plan.pipeline; ++stage)
      for (const HeldMicroBatches& instant : fullest_instants(plan, stage))
        add_instant(instant, entry->second[static_cast<std::size_t>(stages.class_of(stage))]);
  }
  return entry->second;
}

ActivationUses activation_uses(const PlannedJob& planned, const StageTable& stages,
                               const std::vector<std::vector<HeldMicroBatches>>& instants) {
  const Bytes working = working_memory(planned);
  ActivationUses uses;
  for (int c = 0; c < stages.classes(); ++c) {
    const int first = stages.first_of(c);
    uses.push_back(
        {stored_activations(planned, first, bytes_by_chunk(planned, first), instants[static_cast<std::size_t>(c)]),
         logit_memory(planned, first), working});
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
