// SPDX-License-Identifier: Apache-2.0
#include "models/job/stack_memory.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

const Record<StackMemory>& record(const StackMemory*) {
  using S = StackMemory;
  static const auto table =
      Record<S>("stack_memory", "What a framework keeps in device memory beyond what a step needs")
          .optional("loss_size_bytes", &S::loss_size,
                    {.help = "per logit at the peak of the loss, all copies together", .min = 2, .max = 32})
          .optional("split_loss_size_bytes", &S::split_loss_size,
                    {.help = "the same where the tensor group splits the vocabulary; auto: no different",
                     .min = 2,
                     .max = 32})
          .optional(
              "kept_gradient_size_bytes", &S::kept_gradient_size,
              {.help = "per parameter, of gradients beside the buffer that they accumulate in", .min = 0, .max = 8})
          .optional(
              "owned_gradient_size_bytes", &S::owned_gradient_size,
              {.help = "per parameter that a rank updates, of gradients that the optimizer holds", .min = 0, .max = 8})
          .optional("narrow_copies", &S::narrow_copies,
                    {.help = "8-bit runs keep inputs of multiplies and copies of weights in 8 bit"})
          .optional("dropout", &S::dropout, {.help = "its models drop out, so masks are kept"})
          .optional("keeps_logits", &S::keeps_logits,
                    {.help = "the last stage of a pipeline keeps the logits of all micro-batches until the step ends"})
          .optional("gathers_by_multiply", &S::gathers_by_multiply,
                    {.help = "sharded weights are gathered matrix by matrix, not layer by layer"})
          .optional("staging_gb", &S::staging,
                    {.help = "buffers that collectives of gradients and weights are copied through", .min = 0})
          .optional("communicator_gb", &S::communicator, {.help = "buffers of one communicator", .min = 0})
          .optional("slack", &S::slack,
                    {.help = "share that the allocator holds beyond what is in use", .min = 0, .max = 1})
          .optional("reports_allocator", &S::reports_allocator,
                    {.help = "the peak memory that it reports is what the allocator holds, context left out"});
  return table;
}

}  // namespace clusterwright
