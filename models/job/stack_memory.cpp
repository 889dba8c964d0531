// SPDX-License-Identifier: Apache-2.0
#include "models/job/stack_memory.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

const Record<StackMemory>& record(const StackMemory*) {
  using S = StackMemory;
  static const auto table =
      Record<S>("stack_memory", "Device memory that a framework keeps beyond what a step needs")
          .optional("loss_size_bytes", &S::loss_size,
                    {.help = "bytes per logit at the peak of the loss, all copies together", .min = 2, .max = 32})
          .optional("split_loss_size_bytes", &S::split_loss_size,
                    {.help = "bytes per logit at the peak of the loss if the tensor group splits the vocabulary; auto: "
                             "as loss_size_bytes",
                     .min = 2,
                     .max = 32})
          .optional(
              "kept_gradient_size_bytes", &S::kept_gradient_size,
              {.help = "bytes per parameter of gradients kept besides the accumulation buffer", .min = 0, .max = 8})
          .optional("owned_gradient_size_bytes", &S::owned_gradient_size,
                    {.help = "bytes of gradients that the optimizer holds, per parameter that a rank updates",
                     .min = 0,
                     .max = 8})
          .optional("narrow_copies", &S::narrow_copies,
                    {.help = "8-bit runs keep GEMM inputs and copies of weights in 8 bits"})
          .optional("dropout", &S::dropout, {.help = "models of this stack use dropout, so its masks are kept"})
          .optional("keeps_logits", &S::keeps_logits,
                    {.help = "the last stage of a pipeline keeps the logits of all micro-batches until the step ends"})
          .optional("gathers_by_multiply", &S::gathers_by_multiply,
                    {.help = "sharded weights are gathered matrix by matrix, not layer by layer"})
          .optional("staging_gb", &S::staging,
                    {.help = "staging buffers for collectives of gradients and weights", .min = 0})
          .optional("communicator_gb", &S::communicator, {.help = "buffers of one communicator", .min = 0})
          .optional("slack", &S::slack,
                    {.help = "memory that the allocator holds but that is not in use, over memory in use",
                     .min = 0,
                     .max = 1})
          .optional(
              "reports_allocator", &S::reports_allocator,
              {.help = "the peak memory that the framework reports counts only the allocator, without the context"});
  return table;
}

}  // namespace clusterwright
