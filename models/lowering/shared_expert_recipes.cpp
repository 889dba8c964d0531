// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/shared_expert_recipes.hpp"

#include "models/kernels/streaming_time.hpp"

namespace clusterwright {

SharedExpertRecipes::SharedExpertRecipes(const KernelTimes& kernels, const PlannedJob& planned,
                                         const RankShapes& shapes, const LinearRecipes& linears)
    : kernels_(kernels),
      planned_(planned),
      shapes_(shapes),
      linears_(linears),
      width_((planned.model.experts->shared_width() + planned.plan.tensor - 1) / planned.plan.tensor) {
  const std::int64_t gates = planned.model.gated_mlp ? 2 : 1;
  up_ = {"shared experts up", width_ * gates, planned.model.hidden, true, true};
  down_ = {"shared experts down", planned.model.hidden, width_, false, true};
}

KernelTiming SharedExpertRecipes::activation(double rows) const {
  const double passes = activation_passes(planned_.model.gated_mlp, planned_.stack.fused_elementwise);
  const double elements = rows * static_cast<double>(width_) * passes;
  return kernels_.elementwise(elements * bytes_16bit * planned_.stack.elementwise_traffic.value * byte);
}

int SharedExpertRecipes::forward(RecipeWriter& w, StepCharge gemm, StepCharge other) const {
  if (!exist()) return -1;
  linears_.forward(w, up_, gemm, w.last_kernel());
  w.kernel("shared activation", activation(static_cast<double>(shapes_.tokens)), other);
  return linears_.forward(w, down_, gemm, -1);
}

int SharedExpertRecipes::backward(RecipeWriter& w) const {
  if (!exist()) return -1;
  linears_.backward(w, down_, w.last_kernel());
  const KernelTiming timing = activation(static_cast<double>(shapes_.tokens) * backward_over_forward);
  return linears_.backward(w, up_, w.kernel("shared activation bwd", timing, StepCharge::compute_other));
}

}  // namespace clusterwright
