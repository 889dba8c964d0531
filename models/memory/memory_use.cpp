// SPDX-License-Identifier: Apache-2.0
#include "models/memory/memory_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/memory/buffer_memory.hpp"
#include "sim/interval.hpp"

namespace clusterwright {

MemoryRange memory_range(const MemoryUse& use, double residual) {
  const Bytes beyond = use.total() - use.counted();
  const double reach = std::exp(half_width_90 * residual);
  return {use.counted() + beyond / reach, use.counted() + beyond * reach};
}

ParameterUse parameter_use(const PlannedJob& planned, int stage) {
  return {weight_memory(planned, stage),   gradient_memory(planned, stage),   optimizer_memory(planned, stage),
          gathered_memory(planned, stage), passing_gradients(planned, stage), gradients_come_late(planned)};
}

namespace {

/// Experts with a capacity always get as many rows.
double allocator_slack(const PlannedJob& planned) {
  const bool unequal = planned.model.experts && !planned.routing.capacity_factor;
  const StackMemory& memory = planned.stack.memory;
  return (unequal && memory.unequal_slack ? *memory.unequal_slack : memory.slack).value;
}

}  // namespace

BufferUse buffer_use(const PlannedJob& planned) {
  return {exchange_buffers(planned), communicator_memory(planned) + piece_buffers(planned), allocator_slack(planned)};
}

Bytes working_memory(const PlannedJob& planned) {
  return layer_working_set(planned) + layer_buffers(planned);
}

MemoryUse joined(const ParameterUse& parameters, const ActivationUse& activations, const BufferUse& buffers,
                 const SoftwareStack& stack) {
  MemoryUse use;
  use.weights = parameters.weights;
  use.gradients = parameters.gradients;
  // They take the place of activations, layer by layer, so the peak is at the longer of both.
  if (parameters.fresh_gradients) use.gradients = std::max(Bytes{}, parameters.gradients - activations.stored);
  use.optimizer = parameters.optimizer;
  use.gathered = parameters.gathered;
  use.activations = activations.stored;
  // Logits and their gradients are gone when the first layer starts its backward pass.
  if (activations.logits > activations.working + parameters.passing) {
    use.logits = activations.logits;
  } else {
    use.working = activations.working;
    use.gradients += parameters.passing;
  }
  use.buffers = buffers.exchange;
  const Bytes slack = use.total() * buffers.slack;
  use.buffers += buffers.outside_allocator;
  use.reserved = stack.reserved_memory.value + slack;
  return use;
}

MemoryUse memory_of_stage(const PlannedJob& planned, int stage) {
  const ActivationUse activations{stored_activations(planned, stage), logit_memory(planned, stage),
                                  working_memory(planned)};
  MemoryUse use = joined(parameter_use(planned, stage), activations, buffer_use(planned), planned.stack);
  use.stage = stage;
  return use;
}

MemoryUse worst_memory(const PlannedJob& planned) {
  MemoryUse worst = memory_of_stage(planned, 0);
  for (int stage = 1; stage < planned.plan.pipeline; ++stage) {
    const MemoryUse use = memory_of_stage(planned, stage);
    if (use.total() > worst.total()) worst = use;
  }
  return worst;
}

Bytes outside_allocator(const PlannedJob& planned) {
  return planned.stack.reserved_memory.value + communicator_memory(planned) + piece_buffers(planned);
}

}  // namespace clusterwright
