// SPDX-License-Identifier: Apache-2.0
#include "models/memory/buffer_memory.hpp"

#include "models/kernels/streaming_time.hpp"
#include "models/plan/expert_work.hpp"
#include "models/plan/plan.hpp"

namespace clusterwright {

namespace {

Bytes tokens_of(const PlannedJob& planned, double width) {
  return local_tokens(planned) * width * bytes_16bit * byte;
}

bool gathers_inputs(const PlannedJob& planned) {
  return planned.plan.tensor > 1 && planned.plan.sequence_parallel;
}

/// Sequence parallelism gathers whole inputs in front of multiplies, and their gradients.
Bytes gathered_inputs(const PlannedJob& planned) {
  if (!gathers_inputs(planned) || planned.stack.tensor_overlap == TensorOverlap::pieces) return {};
  return 2 * tokens_of(planned, static_cast<double>(planned.model.hidden));
}

/// Keys and values: a ring holds its own, those that arrive and the gradients of both; a gather those of the whole
/// sequence and their gradients; an exchange of heads a second copy of what attention reads and writes.
Bytes context_buffers(const PlannedJob& planned) {
  if (planned.plan.context == 1) return {};
  const auto query = static_cast<double>(planned.model.query_width());
  const auto pair = static_cast<double>(planned.model.key_value_heads() *
                                        (planned.model.width_of_head() + planned.model.width_of_value()));
  double width = 4 * pair;
  if (planned.plan.context_exchange == ContextExchange::all_gather) width = 2 * pair * planned.plan.context;
  if (planned.plan.context_exchange == ContextExchange::all_to_all) width = 2 * query + pair;
  return tokens_of(planned, width / planned.plan.tensor);
}

/// Buffers of pipeline messages: one activation and one gradient arrive during the passes of others, in each direction
/// of micro-batches.
Bytes message_buffers(const PlannedJob& planned) {
  if (planned.plan.pipeline == 1) return {};
  return 2 * planned.plan.weight_copies() * tokens_of(planned, static_cast<double>(planned.model.hidden)) /
         residual_split(planned);
}

/// Rows as they arrive and as they leave again.
Bytes expert_buffers(const PlannedJob& planned) {
  if (planned.plan.expert * planned.plan.expert_tensor == 1) return {};
  return 2 * expert_rows(planned) * static_cast<double>(planned.model.hidden) * bytes_16bit * byte;
}

}  // namespace

Bytes communicator_memory(const PlannedJob& planned) {
  const Plan& p = planned.plan;
  const bool mirrors = p.in_groups() && p.shard_group < p.gradient_ranks();
  const int experts =
      (p.expert > 1) + (p.expert_tensor > 1) + (p.expert * p.expert_tensor > 1 && p.expert_replicas() > 1);
  const int count = (p.tensor > 1) + (p.pipeline > 1) + (p.context > 1) + (p.gradient_ranks() > 1) + mirrors + experts +
                    planned.layout.is_mirrored();
  return count * planned.stack.memory.communicator.value;
}

Bytes piece_buffers(const PlannedJob& planned) {
  if (!gathers_inputs(planned) || planned.stack.tensor_overlap != TensorOverlap::pieces) return {};
  // One for each of the four GEMMs of a layer.
  return 4 * tokens_of(planned, static_cast<double>(planned.model.hidden));
}

Bytes exchange_buffers(const PlannedJob& planned) {
  const Bytes staging = planned.plan.gradient_ranks() > 1 ? planned.stack.memory.staging.value : Bytes{};
  return message_buffers(planned) + staging;
}

Bytes layer_buffers(const PlannedJob& planned) {
  return gathered_inputs(planned) + context_buffers(planned) + expert_buffers(planned);
}

}  // namespace clusterwright
