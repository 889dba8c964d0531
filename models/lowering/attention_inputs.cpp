// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/attention_inputs.hpp"

#include "models/kernels/streaming_time.hpp"

namespace clusterwright {

namespace {

/// Linear layers in front of attention. The narrow vectors of latent attention are whole on every rank of a tensor
/// group, which computes them for itself.
std::vector<Linear> input_linears(const Transformer& m, const RankShapes& s) {
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

/// Width of the norms of latent vectors, and of the queries and keys of each head.
double extra_norm_width(const Transformer& m, const RankShapes& s) {
  const auto latent = m.latent ? m.latent->query_rank + m.latent->key_value_rank : 0;
  return static_cast<double>(latent + (m.query_key_norm ? s.query + s.key_value : 0));
}

}  // namespace

AttentionInputs::AttentionInputs(const KernelTimes& kernels, const PlannedJob& planned, const RankShapes& shapes,
                                 const LinearRecipes& linears)
    : kernels_(kernels),
      planned_(planned),
      shapes_(shapes),
      recipes_(linears),
      linears_(input_linears(planned.model, shapes)) {}

Bytes AttentionInputs::rotary_traffic() const {
  const Bytes norms = shapes_.split(1, 2 * extra_norm_width(planned_.model, shapes_));
  if (planned_.stack.kernels.rotary == RotaryKernel::in_place) {
    const bool turns = planned_.model.positions == PositionEncoding::rotary;
    return shapes_.split(turns ? shapes_.query + shapes_.key_value : 0, 2) + norms;
  }
  const double passes = planned_.stack.fused_elementwise ? 2 : 4;  // layout change and rotation, or bias on their own
  return shapes_.split(shapes_.query + shapes_.key_value + shapes_.value, passes) + norms;
}

/// @param after  op of another lane that must end first, or -1
void AttentionInputs::rotary(RecipeWriter& w, const std::string& name, KernelPass pass, StepCharge charge,
                             int after) const {
  const bool in_place = planned_.stack.kernels.rotary == RotaryKernel::in_place;
  const Bytes traffic = rotary_traffic();
  if (in_place && traffic <= Bytes{}) return;
  const double passes = pass == KernelPass::forward || in_place ? 1 : backward_over_forward;
  w.kernel(name,
           kernels_.elementwise(passes * traffic * planned_.stack.elementwise_traffic.value,
                                {StreamingKernel::rotary, pass}),
           charge, after);
}

void AttentionInputs::forward(RecipeWriter& w, StepCharge gemm, StepCharge other, int after) const {
  for (const Linear& linear : linears_) {
    recipes_.forward(w, linear, gemm, after);
    after = -1;
  }
  rotary(w, "rotary", KernelPass::forward, other, -1);
}

void AttentionInputs::expand_latents(RecipeWriter& w, StepCharge charge) const {
  for (const Linear& linear : linears_)
    if (!linear.exchange) recipes_.forward(w, linear, charge, -1);
  rotary(w, "rotary again", KernelPass::forward, charge, -1);
}

int AttentionInputs::backward(RecipeWriter& w, int after) const {
  rotary(w, "rotary bwd", KernelPass::backward, StepCharge::compute_other, after);
  int dx = -1;
  after = w.last();
  for (std::size_t i = linears_.size(); i-- > 0; after = w.last_kernel()) dx = recipes_.backward(w, linears_[i], after);
  return dx;
}

}  // namespace clusterwright
