// SPDX-License-Identifier: Apache-2.0
#include "models/job/stack_kernels.hpp"

#include <array>
#include <string_view>

#include "sim/field_table.hpp"

namespace clusterwright {

template <>
struct EnumNames<ResidualSum> {
  static constexpr std::array<std::string_view, 3> names = {"beside-norm", "own-kernel", "in-multiply"};
};
template <>
struct EnumNames<RotaryKernel> {
  static constexpr std::array<std::string_view, 2> names = {"into-layout", "in-place"};
};

namespace {

using KernelRecord = Record<StackKernels>;

void add_layer_kernels(KernelRecord& table) {
  using S = StackKernels;
  table
      .optional("residual", &S::residual,
                {.help = "kernel that adds the result of a block to the residual stream: one kernel with the following "
                         "norm, a separate kernel, or the block's last GEMM"})
      .optional("rotary", &S::rotary,
                {.help = "rotary embedding: applied while queries, keys and values are copied into the layout of "
                         "attention, or to queries and keys in place"})
      .optional("fused_attention", &S::fused_attention,
                {.help = "attention is one kernel per pass; otherwise scores, softmax and values are separate kernels"})
      .optional("activation_backward", &S::activation_backward,
                {.help = "traffic of the activation's backward pass over that of its forward pass", .min = 1, .max = 4})
      .optional("weight_gradient_bytes", &S::weight_gradient,
                {.help = "bytes moved per element of a weight gradient at the output of its GEMM", .min = 1, .max = 16})
      .optional("synchronous", &S::synchronous,
                {.help = "the processor that issues a kernel also runs it, so the fixed time of a call is not hidden"});
}

void add_end_kernels(KernelRecord& table) {
  using S = StackKernels;
  table.optional("loss_bytes", &S::loss, {.help = "bytes moved per logit in the forward pass", .min = 1, .max = 64})
      .optional("loss_backward_bytes", &S::loss_backward,
                {.help = "bytes moved per logit in the backward pass; 0: the forward pass writes the gradient",
                 .min = 0,
                 .max = 64})
      .optional("plain_embedding", &S::plain_embedding,
                {.help = "one kernel looks up the rows of the token table and no other kernel reads them; the gradient "
                         "of the table "
                         "is cleared first"})
      .optional("update_bytes", &S::update,
                {.help = "bytes moved per parameter that a rank updates, for gradient and states", .min = 4, .max = 64})
      .optional("clips_gradients", &S::clips_gradients,
                {.help = "the norm of the gradients over all ranks is computed before the update"})
      .optional("clears_gradients", &S::clears_gradients,
                {.help = "gradients are added to a buffer that is cleared after the update"});
}

}  // namespace

const Record<StackKernels>& record(const StackKernels*) {
  static const KernelRecord table = [] {
    KernelRecord out("stack_kernels", "Fusions and memory traffic of the kernels between GEMMs");
    add_layer_kernels(out);
    add_end_kernels(out);
    return out;
  }();
  return table;
}

}  // namespace clusterwright
