// SPDX-License-Identifier: Apache-2.0
#include "models/memory/memory_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/memory/buffer_memory.hpp"

namespace clusterwright {

MemoryUse memory_of_stage(const PlannedJob& planned, int stage) {
  MemoryUse use;
  use.stage = stage;
  use.weights = weight_memory(planned, stage);
  use.gradients = gradient_memory(planned, stage);
  use.optimizer = optimizer_memory(planned, stage);
  use.gathered = gathered_memory(planned, stage);
  use.activations = stored_activations(planned, stage);
  // Logits and their gradients are gone when the first layer starts its backward pass.
  const Bytes logits = logit_memory(planned, stage), passing = passing_gradients(planned, stage);
  const Bytes working = layer_working_set(planned) + layer_buffers(planned);
  if (logits > working + passing) {
    use.logits = logits;
  } else {
    use.working = working;
    use.gradients += passing;
  }
  use.buffers = exchange_buffers(planned);
  const Bytes slack = use.total() * planned.stack.memory.slack.value;
  use.buffers += communicator_memory(planned) + piece_buffers(planned);
  use.reserved = planned.stack.reserved_memory.value + slack;
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
