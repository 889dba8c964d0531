// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/layer_recipes.hpp"

#include "models/kernels/streaming_time.hpp"
#include "models/lowering/step_charge.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright {

LayerRecipes::LayerRecipes(StepGraphBuilder& builder, const KernelTimes& kernels, const PlannedJob& planned,
                           const CollectiveKernels& collectives, LayerKind kind, const ExpertWork& work)
    : builder_(builder),
      kernels_(kernels),
      planned_(planned),
      collectives_(collectives),
      shapes_(planned),
      linears_(kernels, planned, shapes_),
      inputs_(kernels, planned, shapes_, linears_),
      attention_(kernels, planned, shapes_),
      // Side by side, attention and MLP read one gathered input, and their sum is reduced once.
      projection_{"projection",
                  shapes_.hidden,
                  shapes_.attended,
                  false,
                  true,
                  !planned.model.parallel_block,
                  shapes_.adds_in_multiply},
      up_{"mlp up", shapes_.up, shapes_.hidden, true, true, !planned.model.parallel_block},
      down_{"mlp down", shapes_.hidden, shapes_.ffn, false, true, true, shapes_.adds_in_multiply} {
  if (kind == LayerKind::experts) experts_.emplace(kernels_, planned_, shapes_, linears_, work);
}

Bytes LayerRecipes::activation_traffic() const {
  return shapes_.split(shapes_.ffn, activation_passes(planned_.model.gated_mlp, planned_.stack.fused_elementwise));
}

/// Whether a kernel of its own, not a norm, adds to the residual stream.
bool LayerRecipes::adds_alone() const {
  return planned_.stack.kernels.residual != ResidualSum::beside_norm && !shapes_.adds_in_multiply;
}

KernelTiming LayerRecipes::stream(StreamingKernel kernel, KernelPass pass, Bytes traffic) const {
  return kernels_.elementwise(traffic * planned_.stack.elementwise_traffic.value, {kernel, pass});
}

Bytes LayerRecipes::cast_traffic() const {
  // Experts cast the rows that they get.
  const std::int64_t mlp = experts_ ? 0 : shapes_.hidden + shapes_.ffn;
  const double elements =
      static_cast<double>(shapes_.tokens) * static_cast<double>(shapes_.hidden + shapes_.attended + mlp);
  return elements * kernels_.cast_bytes() * byte;
}

/// Casts of all GEMM inputs of the layer but the experts', in one pass over memory; each input is launched by itself.
KernelTiming LayerRecipes::casts() const {
  const auto& latent = planned_.model.latent;
  const int attention = !latent ? 2 : latent->query_rank > 0 ? 5 : 4;
  const int inputs = attention + (experts_ ? 0 : 2);
  return kernels_.launched(elementwise(cast_traffic()), inputs * planned_.stack.kernels_per_op.value);
}

/// Copy of the residual stream, where the multiply behind adds to it.
void LayerRecipes::copy_stream(RecipeWriter& w, StepCharge charge) const {
  if (shapes_.adds_in_multiply)
    w.kernel("residual copy", stream(StreamingKernel::residual, KernelPass::forward, shapes_.residual(2)), charge);
}

/// Joins the result of attention with the residual stream, and normalises the sum for the MLP.
/// @param after  op of another lane that it comes from, or -1
int LayerRecipes::residual_and_norm(RecipeWriter& w, StepCharge charge, int after) const {
  constexpr KernelPass pass = KernelPass::forward;
  const KernelTiming norm = stream(StreamingKernel::norm, pass, shapes_.residual(2));
  if (shapes_.adds_in_multiply) return w.kernel("norm", norm, charge, after);
  const Bytes sum = shapes_.residual(3 + dropout());
  if (!adds_alone())
    return w.kernel("residual and norm", stream(StreamingKernel::norm, pass, shapes_.residual(5 + dropout())), charge,
                    after);
  w.kernel("residual", stream(StreamingKernel::residual, pass, sum), charge, after);
  return w.kernel("norm", norm, charge);
}

/// The MLP up to the input of its last multiply. Follows the last op so far.
void LayerRecipes::mlp_inner(RecipeWriter& w, StepCharge gemm, StepCharge other) const {
  linears_.forward(w, up_, gemm, w.last_kernel());
  w.kernel("activation", stream(StreamingKernel::activation, KernelPass::forward, activation_traffic()), other);
}

/// Follows the last op so far. @return op of another lane that the result comes from, or -1
int LayerRecipes::mlp_forward(RecipeWriter& w, StepCharge gemm, StepCharge other) const {
  mlp_inner(w, gemm, other);
  copy_stream(w, other);
  return linears_.forward(w, down_, gemm, -1);
}

Recipe LayerRecipes::forward(bool again) const {
  const auto charge = [&](StepCharge own) { return again ? StepCharge::recompute : own; };
  const StepCharge gemm = charge(StepCharge::compute_gemm), other = charge(StepCharge::compute_other);
  RecipeWriter w = writer();
  if (kernels_.narrow_format()) w.kernel("cast", casts(), other);
  int at = w.kernel("norm", stream(StreamingKernel::norm, KernelPass::forward, shapes_.residual(2)), other);
  inputs_.forward(w, gemm, other, at);
  at = attention_.forward(w, charge(StepCharge::compute_attention));
  copy_stream(w, other);
  at = linears_.forward(w, projection_, gemm, at);
  if (!planned_.model.parallel_block) residual_and_norm(w, other, at);
  if (again && planned_.stack.prunes_recompute && !experts_) {
    mlp_inner(w, gemm, other);
    return w.take();
  }
  at = experts_ ? experts_->forward(w, again) : mlp_forward(w, gemm, other);
  if (!shapes_.adds_in_multiply)
    w.kernel("residual", stream(StreamingKernel::residual, KernelPass::forward, shapes_.residual(3 + dropout())), other,
             at);
  if (experts_) experts_->issue_rest(w);
  return w.take();
}

/// Kernels that selective recomputation repeats, without those that the backward pass of unfused attention repeats.
void LayerRecipes::recompute_selected(RecipeWriter& w) const {
  const StepCharge charge = StepCharge::recompute;
  if (expands_latents_again(planned_)) inputs_.expand_latents(w, charge);
  if (planned_.plan.recompute != Recompute::selective || planned_.stack.selective == SelectiveRecompute::attention)
    return;
  const Bytes mlp = experts_ ? Bytes{} : activation_traffic();
  const double widths = shapes_.adds_in_multiply ? 8 : 10 + 2 * dropout();
  w.kernel("element-wise again", elementwise(shapes_.residual(widths) + mlp + inputs_.rotary_traffic()), charge);
  if (planned_.stack.selective == SelectiveRecompute::all_but_multiplies) {
    attention_.forward(w, charge);
    return;
  }
  // Every second multiply by weights is saved: queries, values, and the first of those that go up.
  linears_.forward(w, {"keys again", shapes_.key_value, shapes_.hidden, true, true}, charge, w.last());
  const int at = linears_.forward(w, projection_, charge, -1);
  if (at >= 0) w.kernel("projection here", elementwise(shapes_.residual(1)), charge, at);
  if (planned_.model.gated_mlp && !experts_)
    linears_.forward(w, {"mlp up again", shapes_.ffn, shapes_.hidden, true, true}, charge, w.last());
}

int LayerRecipes::mlp_gradients(RecipeWriter& w, int entry) const {
  if (experts_) return experts_->backward(w);
  if (planned_.stack.lean_activations)
    w.kernel("activation again", elementwise(activation_traffic()), StepCharge::recompute);
  linears_.backward(w, down_, entry);
  const Bytes traffic = planned_.stack.kernels.activation_backward.value * activation_traffic();
  const int act = w.kernel("activation bwd", stream(StreamingKernel::activation, KernelPass::backward, traffic),
                           StepCharge::compute_other);
  return linears_.backward(w, up_, act);
}

/// @param widths  hidden-wide tensors that the kernel moves where sums stand beside norms
/// @param after   op of another lane that the gradient comes from, or -1
void LayerRecipes::norm_backward(RecipeWriter& w, double widths, int after) const {
  constexpr KernelPass pass = KernelPass::backward;
  constexpr StepCharge charge = StepCharge::compute_other;
  // The gradient and the input are read, the result is written. The residual gradient is read too where no other kernel
  // adds it.
  const double own = shapes_.adds_in_multiply ? 4 : 3;
  const bool beside = !shapes_.adds_in_multiply && !adds_alone();
  w.kernel("norm bwd", stream(StreamingKernel::norm, pass, shapes_.residual(beside ? widths : own)), charge, after);
  if (adds_alone())
    w.kernel("residual bwd", stream(StreamingKernel::residual, pass, shapes_.residual(3 + dropout())), charge);
}

void LayerRecipes::mlp_backward(RecipeWriter& w) const {
  int entry = w.last();
  if (!shapes_.adds_in_multiply && !adds_alone())
    entry = w.kernel("residual bwd", elementwise(shapes_.residual(2 + dropout())), StepCharge::compute_other);
  const int dx = mlp_gradients(w, entry);
  if (planned_.model.parallel_block) return;
  norm_backward(w, backward_over_forward * (5 + dropout()), dx);
}

void LayerRecipes::attention_block_backward(RecipeWriter& w, int entry) const {
  linears_.backward(w, projection_, entry);
  const bool scores_dropped = planned_.plan.recompute == Recompute::selective && stores_scores(planned_);
  if (scores_dropped) attention_.forward(w, StepCharge::recompute);
  const int dqkv = attention_.backward(w);
  const int dx = inputs_.backward(w, dqkv);
  norm_backward(w, backward_over_forward * 2, dx);
}

Recipe LayerRecipes::backward() const {
  RecipeWriter w = writer();
  recompute_selected(w);
  if (kernels_.narrow_format()) w.kernel("cast bwd", casts(), StepCharge::compute_other);
  if (planned_.stack.lean_activations) w.kernel("norms again", elementwise(shapes_.residual(4)), StepCharge::recompute);
  mlp_backward(w);
  attention_block_backward(w, w.last());
  if (experts_) experts_->issue_rest(w);
  return w.take();
}

}  // namespace clusterwright
