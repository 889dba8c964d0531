#include "models/memory/buffer_memory.hpp"

#include "models/kernels/kernel_traffic.hpp"
#include "models/plan/expert_work.hpp"
#include "models/plan/plan.hpp"

namespace clusterwright {

namespace {

Bytes tokens_of(const MemoryCase& c, double width) {
  return local_tokens(c) * width * bytes_16bit * byte;
}

bool gathers_inputs(const MemoryCase& c) {
  return c.plan.tensor > 1 && c.plan.sequence_parallel;
}

/// Sequence parallelism gathers whole inputs in front of multiplies, and their gradients.
Bytes gathered_inputs(const MemoryCase& c) {
  if (!gathers_inputs(c) || c.stack.tensor_overlap == TensorOverlap::pieces) return {};
  return 2 * tokens_of(c, static_cast<double>(c.model.hidden));
}

/// Keys and values: a ring holds its own, those that arrive and the gradients of both; a gather those of the whole
/// sequence and their gradients; an exchange of heads a second copy of what attention reads and writes.
Bytes context_buffers(const MemoryCase& c) {
  if (c.plan.context == 1) return {};
  const auto query = static_cast<double>(c.model.query_width());
  const auto pair =
      static_cast<double>(c.model.key_value_heads() * (c.model.width_of_head() + c.model.width_of_value()));
  double width = 4 * pair;
  if (c.plan.context_exchange == ContextExchange::all_gather) width = 2 * pair * c.plan.context;
  if (c.plan.context_exchange == ContextExchange::all_to_all) width = 2 * query + pair;
  return tokens_of(c, width / c.plan.tensor);
}

/// One activation and one gradient arrive while others are worked on, in each direction that micro-batches flow.
Bytes message_buffers(const MemoryCase& c) {
  if (c.plan.pipeline == 1) return {};
  return 2 * c.plan.weight_copies() * tokens_of(c, static_cast<double>(c.model.hidden)) / residual_split(c);
}

/// Rows as they arrive and as they leave again.
Bytes expert_buffers(const MemoryCase& c) {
  if (c.plan.expert * c.plan.expert_tensor == 1) return {};
  return 2 * expert_rows(c) * static_cast<double>(c.model.hidden) * bytes_16bit * byte;
}

}  // namespace

Bytes communicator_memory(const MemoryCase& c) {
  const Plan& p = c.plan;
  const bool mirrors = p.sharding == Sharding::hsdp && p.shard_group < p.gradient_ranks();
  const int experts =
      (p.expert > 1) + (p.expert_tensor > 1) + (p.expert * p.expert_tensor > 1 && p.expert_replicas() > 1);
  const int count = (p.tensor > 1) + (p.pipeline > 1) + (p.context > 1) + (p.gradient_ranks() > 1) + mirrors + experts +
                    c.layout.is_mirrored();
  return count * c.stack.memory.communicator.value;
}

Bytes piece_buffers(const MemoryCase& c) {
  if (!gathers_inputs(c) || c.stack.tensor_overlap != TensorOverlap::pieces) return {};
  // One for each of the four multiplies of a layer.
  return 4 * tokens_of(c, static_cast<double>(c.model.hidden));
}

Bytes exchange_buffers(const MemoryCase& c) {
  const Bytes staging = c.plan.gradient_ranks() > 1 ? c.stack.memory.staging.value : Bytes{};
  return message_buffers(c) + staging;
}

Bytes layer_buffers(const MemoryCase& c) {
  return gathered_inputs(c) + context_buffers(c) + expert_buffers(c);
}

}  // namespace clusterwright
