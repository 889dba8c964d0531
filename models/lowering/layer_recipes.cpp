// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/layer_recipes.hpp"

#include "models/kernels/kernel_traffic.hpp"
#include "models/lowering/step_charge.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

/// Linear layers in front of attention. The narrow vectors of latent attention are whole on every rank of a tensor
/// group, which computes them for itself.
std::vector<Linear> attention_inputs(const Transformer& m, const RankShapes& s) {
  if (!m.latent) return {{"qkv", s.query + s.key_value + s.value, s.hidden, true, true}};
  const LatentAttention& l = *m.latent;
  const std::int64_t heads = s.query / m.width_of_head();
  const std::int64_t queries = l.query_rank > 0 ? l.query_rank : s.query;
  std::vector<Linear> out{{"latent down", queries + l.key_value_rank + l.rotary_width, s.hidden, true, true}};
  if (l.query_rank > 0) out.push_back({"latent queries", s.query, l.query_rank, true, true, false});
  out.push_back(
      {"latent keys and values", heads * (l.plain_width + l.value_width), l.key_value_rank, true, true, false});
  return out;
}

/// Norms of latent vectors, and of the queries and keys of each head.
double extra_norm_width(const Transformer& m, const RankShapes& s) {
  const auto latent = m.latent ? m.latent->query_rank + m.latent->key_value_rank : 0;
  return static_cast<double>(latent + (m.query_key_norm ? s.query + s.key_value : 0));
}

}  // namespace

LayerRecipes::LayerRecipes(StepGraphBuilder& builder, const KernelTimes& kernels, const PlannedJob& planned,
                           WorkId collective_kernel, LayerKind kind, const ExpertWork& work)
    : builder_(builder),
      kernels_(kernels),
      planned_(planned),
      collective_kernel_(collective_kernel),
      traffic_factor_(planned.stack.elementwise_traffic.value),
      shapes_(planned),
      linears_(kernels, planned, shapes_),
      attention_(kernels, planned, shapes_),
      inputs_(attention_inputs(planned.model, shapes_)),
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

/// Added by a kernel of its own, beside no norm.
bool LayerRecipes::adds_alone() const {
  return planned_.stack.kernels.residual != ResidualSum::beside_norm && !shapes_.adds_in_multiply;
}

KernelTiming LayerRecipes::stream(StreamingKernel kernel, KernelPass pass, Bytes traffic) const {
  return kernels_.elementwise(traffic * traffic_factor_, {kernel, pass});
}

Bytes LayerRecipes::rotary_traffic() const {
  const Bytes norms = shapes_.split(1, 2 * extra_norm_width(planned_.model, shapes_));
  if (planned_.stack.kernels.rotary == RotaryKernel::in_place) {
    const bool turns = planned_.model.positions == PositionEncoding::rotary;
    return shapes_.split(turns ? shapes_.query + shapes_.key_value : 0, 2) + norms;
  }
  const double passes = planned_.stack.fused_elementwise ? 2 : 4;  // layout change and rotation, or bias on their own
  return shapes_.split(shapes_.query + shapes_.key_value + shapes_.value, passes) + norms;
}

/// @param after  op of another lane that must end first, or -1
void LayerRecipes::rotary(RecipeWriter& w, const std::string& name, KernelPass pass, StepCharge charge,
                          int after) const {
  const bool in_place = planned_.stack.kernels.rotary == RotaryKernel::in_place;
  const Bytes traffic = rotary_traffic();
  if (in_place && traffic <= Bytes{}) return;
  const double passes = pass == KernelPass::forward || in_place ? 1 : backward_over_forward;
  w.kernel(name, stream(StreamingKernel::rotary, pass, passes * traffic), charge, after);
}

Bytes LayerRecipes::cast_traffic() const {
  // Experts cast the rows that they get.
  const std::int64_t mlp = experts_ ? 0 : shapes_.hidden + shapes_.ffn;
  const double elements =
      static_cast<double>(shapes_.tokens) * static_cast<double>(shapes_.hidden + shapes_.attended + mlp);
  return elements * kernels_.cast_bytes() * byte;
}

void LayerRecipes::expand_latents(RecipeWriter& w, StepCharge charge) const {
  for (const Linear& linear : inputs_)
    if (!linear.exchange) linears_.forward(w, linear, charge, -1);
  rotary(w, "rotary again", KernelPass::forward, charge, -1);
}

void LayerRecipes::project_inputs(RecipeWriter& w, StepCharge gemm, StepCharge other, int after) const {
  for (const Linear& linear : inputs_) {
    linears_.forward(w, linear, gemm, after);
    after = -1;
  }
  rotary(w, "rotary", KernelPass::forward, other, -1);
}

/// Where the multiply behind adds to it, a copy of the residual stream.
void LayerRecipes::copy_stream(RecipeWriter& w, StepCharge charge) const {
  if (shapes_.adds_in_multiply)
    w.kernel("residual copy", stream(StreamingKernel::residual, KernelPass::forward, shapes_.residual(2)), charge);
}

/// What attention returned joins the residual stream, and the MLP gets it normalised.
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

/// From the last op so far. @return op of another lane that the result comes from, or -1
int LayerRecipes::mlp_forward(RecipeWriter& w, StepCharge gemm, StepCharge other) const {
  linears_.forward(w, up_, gemm, w.last_kernel());
  w.kernel("activation", stream(StreamingKernel::activation, KernelPass::forward, activation_traffic()), other);
  copy_stream(w, other);
  return linears_.forward(w, down_, gemm, -1);
}

Recipe LayerRecipes::forward(bool again) const {
  const auto charge = [&](StepCharge own) { return again ? StepCharge::recompute : own; };
  const StepCharge gemm = charge(StepCharge::compute_gemm), other = charge(StepCharge::compute_other);
  RecipeWriter w = writer();
  if (kernels_.narrow_format()) w.kernel("cast", elementwise(cast_traffic()), other);
  int at = w.kernel("norm", stream(StreamingKernel::norm, KernelPass::forward, shapes_.residual(2)), other);
  project_inputs(w, gemm, other, at);
  at = attention_.forward(w, charge(StepCharge::compute_attention));
  copy_stream(w, other);
  at = linears_.forward(w, projection_, gemm, at);
  if (!planned_.model.parallel_block) residual_and_norm(w, other, at);
  at = experts_ ? experts_->forward(w, again) : mlp_forward(w, gemm, other);
  if (!shapes_.adds_in_multiply)
    w.kernel("residual", stream(StreamingKernel::residual, KernelPass::forward, shapes_.residual(3 + dropout())), other,
             at);
  return w.take();
}

/// What selective recomputation repeats beside what the backward pass of unfused attention repeats itself.
void LayerRecipes::recompute_selected(RecipeWriter& w) const {
  const StepCharge charge = StepCharge::recompute;
  if (expands_latents_again(planned_)) expand_latents(w, charge);
  if (planned_.plan.recompute != Recompute::selective || planned_.stack.selective == SelectiveRecompute::attention)
    return;
  const Bytes mlp = experts_ ? Bytes{} : activation_traffic();
  const double widths = shapes_.adds_in_multiply ? 8 : 10 + 2 * dropout();
  w.kernel("element-wise again", elementwise(shapes_.residual(widths) + mlp + rotary_traffic()), charge);
  if (planned_.stack.selective == SelectiveRecompute::all_but_multiplies) {
    attention_.forward(w, charge);
    return;
  }
  // Saved are every second of the multiplies by weights: queries, values, and of what goes up the first.
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
  // Gradient and input read, the result written; where no kernel of its own adds what came by the residual, read too.
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

int LayerRecipes::project_inputs_backward(RecipeWriter& w, int after) const {
  int dx = -1;
  for (std::size_t i = inputs_.size(); i-- > 0; after = w.last_kernel()) dx = linears_.backward(w, inputs_[i], after);
  return dx;
}

void LayerRecipes::attention_block_backward(RecipeWriter& w, int entry) const {
  linears_.backward(w, projection_, entry);
  const bool scores_dropped = planned_.plan.recompute == Recompute::selective && stores_scores(planned_);
  if (scores_dropped) attention_.forward(w, StepCharge::recompute);
  const int dqkv = attention_.backward(w);
  rotary(w, "rotary bwd", KernelPass::backward, StepCharge::compute_other, dqkv);
  const int dx = project_inputs_backward(w, w.last());
  norm_backward(w, backward_over_forward * 2, dx);
}

Recipe LayerRecipes::backward() const {
  RecipeWriter w = writer();
  recompute_selected(w);
  if (kernels_.narrow_format()) w.kernel("cast bwd", elementwise(cast_traffic()), StepCharge::compute_other);
  if (planned_.stack.lean_activations) w.kernel("norms again", elementwise(shapes_.residual(4)), StepCharge::recompute);
  mlp_backward(w);
  attention_block_backward(w, w.last());
  return w.take();
}

}  // namespace clusterwright
