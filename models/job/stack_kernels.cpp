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
                {.help = "the result of a block is added to the residual stream in one kernel with the norm behind it, "
                         "in a kernel of its own, or by the block's last multiply"})
      .optional("rotary", &S::rotary,
                {.help = "queries, keys and values are turned on their way into the layout of attention, or queries "
                         "and keys where they lie"})
      .optional("fused_attention", &S::fused_attention,
                {.help = "attention is one kernel a pass; else scores, softmax and values are kernels of their own"})
      .optional("activation_backward", &S::activation_backward,
                {.help = "traffic of the activation's backward pass over that of its forward pass", .min = 1, .max = 4})
      .optional("weight_gradient_bytes", &S::weight_gradient,
                {.help = "per element of a weight gradient, moved at the result of its multiply", .min = 1, .max = 16})
      .optional("synchronous", &S::synchronous,
                {.help = "the processor that issues a kernel runs it, so that the fixed cost of a call is not hidden"});
}

void add_end_kernels(KernelRecord& table) {
  using S = StackKernels;
  table.optional("loss_bytes", &S::loss, {.help = "per logit, forward pass", .min = 1, .max = 64})
      .optional("loss_backward_bytes", &S::loss_backward,
                {.help = "per logit, backward pass; 0: the forward pass leaves the gradient", .min = 0, .max = 64})
      .optional("plain_embedding", &S::plain_embedding,
                {.help = "one kernel looks rows up and no other goes over them; the table's gradient is cleared first"})
      .optional("update_bytes", &S::update,
                {.help = "per parameter that a rank updates, gradient and states", .min = 4, .max = 64})
      .optional("clips_gradients", &S::clips_gradients,
                {.help = "the norm of gradients over all ranks is taken in front of the update"})
      .optional("clears_gradients", &S::clears_gradients,
                {.help = "gradients are added to a buffer that is cleared behind the update"});
}

}  // namespace

const Record<StackKernels>& record(const StackKernels*) {
  static const KernelRecord table = [] {
    KernelRecord out("stack_kernels", "What kernels between matrix multiplies fuse, and which bytes they move");
    add_layer_kernels(out);
    add_end_kernels(out);
    return out;
  }();
  return table;
}

}  // namespace clusterwright
