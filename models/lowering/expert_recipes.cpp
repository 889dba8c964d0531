// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/expert_recipes.hpp"
#include "models/lowering/step_charge.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace clusterwright {

namespace {

/// Logits, their softmax, the choice and the map that follows from it, in 32 bit.
constexpr double router_bytes = 16;

}  // namespace

class ExpertRecipes::Span {
 public:
  Span(RecipeWriter& w, StepCharge other) : writer_(w), other_(other) {}

  int kernel(const std::string& name, const KernelTiming& price, StepCharge charge, int after = -1) {
    total_.count += price.work.duration.count;
    return writer_.kernel(name, price, charge, after);
  }
  int kernel(const std::string& name, const KernelTiming& price, int after = -1) {
    return kernel(name, price, other_, after);
  }
  /// All ranks of the group meet behind the one that got most rows.
  void wait_for_busiest(double excess) {
    KernelTiming wait;
    wait.work.duration.count = std::llround(static_cast<double>(total_.count) * (excess - 1));
    if (wait.work.duration.count > 0) writer_.kernel("the busiest experts", wait, StepCharge::ep_imbalance);
  }

 private:
  RecipeWriter& writer_;
  StepCharge other_;
  Picoseconds total_{};
};

ExpertRecipes::ExpertRecipes(const KernelTimes& kernels, const PlannedJob& planned, const RankShapes& shapes,
                             const LinearRecipes& linears, const ExpertWork& work)
    : kernels_(kernels),
      planned_(planned),
      shapes_(shapes),
      work_(work),
      hidden_(static_cast<double>(planned.model.hidden)),
      traffic_factor_(planned.stack.elementwise_traffic.value),
      shared_(kernels, planned, shapes, linears) {
  const ExpertMixture& experts = *planned.model.experts;
  ffn_ = experts.ffn / planned.plan.expert_tensor;
  up_ = ffn_ * (planned.model.gated_mlp ? 2 : 1);
  const double rows = work.rows / static_cast<double>(work.local_experts);
  rows_each_ = std::max<std::int64_t>(1, std::llround(rows));
  // Popularity, and the scatter of copies that are drawn one by one.
  if (!planned.routing.capacity_factor) row_deviation_ = std::hypot(routing_imbalance(planned) * rows, std::sqrt(rows));
  routed_ = experts.experts;
}

KernelTiming ExpertRecipes::elementwise(double elements, double bytes) const {
  return kernels_.routed(kernels_.elementwise(elements * bytes * traffic_factor_ * byte));
}

KernelTiming ExpertRecipes::multiply(std::int64_t m, std::int64_t n, std::int64_t k) const {
  const GemmShape shape{m, n, k, work_.local_experts, GemmLayout::plain, row_deviation_, one_launch()};
  return for_each_expert(kernels_.routed(kernels_.gemm(shape, true, bytes_16bit * byte)));
}

KernelTiming ExpertRecipes::gradient_multiply(std::int64_t m, std::int64_t n) const {
  const GemmShape shape{m, n, rows_each_, work_.local_experts, GemmLayout::transposed_a, 0, one_launch()};
  const Bytes each = planned_.stack.kernels.weight_gradient.value * byte;
  return for_each_expert(kernels_.routed(kernels_.gemm(shape, true, each)));
}

KernelTiming ExpertRecipes::gradient_sum(std::int64_t elements) const {
  const auto all = static_cast<double>(work_.local_experts * elements);
  return for_each_expert(kernels_.elementwise(all * planned_.stack.kernels.gradient_sum.value * byte));
}

KernelTiming ExpertRecipes::cast(double width) const {
  return for_each_expert(elementwise(work_.rows * width, kernels_.cast_bytes()));
}

KernelTiming ExpertRecipes::for_each_expert(KernelTiming price) const {
  if (one_launch()) return kernels_.issued(std::move(price), 1, {});
  return kernels_.issued(std::move(price), work_.local_experts, planned_.stack.experts.launch.value);
}

KernelTiming ExpertRecipes::activation(double rows, std::int64_t width) const {
  const double passes = activation_passes(planned_.model.gated_mlp, planned_.stack.fused_elementwise);
  return elementwise(rows * static_cast<double>(width) * passes, bytes_16bit);
}

/// Scores of all experts, and which of them each token visits.
int ExpertRecipes::route(RecipeWriter& w, StepCharge gemm, StepCharge other) const {
  const auto experts = static_cast<double>(planned_.model.experts->experts);
  const auto tokens = std::max<std::int64_t>(1, std::llround(work_.tokens));
  // The host issues the many kernels of the choice behind that of the scores, and waits for their result.
  const double launches = launched_routing_kernels(planned_.stack.experts);
  const KernelTiming scores = kernels_.gemm({tokens, routed_, planned_.model.hidden}, false, bytes_16bit * byte);
  w.kernel("router", kernels_.launched(scores, launches), gemm);
  const int host = synchronises() ? w.host(-1) : -1;
  return w.kernel("route", kernels_.launched(elementwise(work_.tokens * experts, router_bytes), 0), other, host);
}

/// Copies of tokens leave; with experts that are split, rows are gathered where they arrive.
int ExpertRecipes::dispatch(RecipeWriter& w, LayerCollective kind) const {
  const int ready = w.last_kernel();
  int arrived = planned_.plan.expert > 1 ? w.collective(kind, ready) : -1;
  const bool gathered = planned_.plan.gathers_expert_rows();
  if (gathered) arrived = w.collective(LayerCollective::expert_gather, arrived >= 0 ? arrived : ready);
  return arrived;
}

int ExpertRecipes::combine(RecipeWriter& w, int after) const {
  const bool gathered = planned_.plan.gathers_expert_rows();
  int returned = gathered ? w.collective(LayerCollective::expert_scatter, after) : -1;
  if (planned_.plan.expert > 1)
    returned = w.collective(LayerCollective::expert_combine, returned >= 0 ? returned : after);
  return returned;
}

/// Joins the sum of the shared experts with that of the routed ones.
void ExpertRecipes::add_shared(RecipeWriter& w, int after, StepCharge other) const {
  if (shared_.exist()) w.kernel("add shared experts", move_copies(3), other, after);
}

void ExpertRecipes::experts_forward(RecipeWriter& w, int routed, int arrived, StepCharge gemm, StepCharge other) const {
  Span span(w, other);
  span.kernel("rows by expert", move_rows(pads_rows() ? 4 : 2), arrived);
  if (kernels_.narrow_format()) span.kernel("cast rows", cast(hidden_));
  span.kernel("experts up", multiply(rows_each_, up_, planned_.model.hidden), gemm);
  span.kernel("expert activation", activation(work_.rows, ffn_));
  if (kernels_.narrow_format()) span.kernel("cast inner rows", cast(static_cast<double>(ffn_)));
  span.kernel("experts down", multiply(rows_each_, planned_.model.hidden, ffn_), gemm);
  span.wait_for_busiest(work_.excess());
  const int host = synchronises() ? w.host(routed) : -1;
  w.kernel("rows by token", move_rows(pads_rows() ? 4 : 2), other, host);
}

int ExpertRecipes::forward(RecipeWriter& w, bool again) const {
  const StepCharge gemm = again ? StepCharge::recompute : StepCharge::compute_gemm;
  const StepCharge other = again ? StepCharge::recompute : StepCharge::compute_other;
  const bool beside = planned_.stack.experts.overlap_shared;
  const auto copies = static_cast<double>(planned_.model.experts->per_token);
  if (!beside) add_shared(w, shared_.forward(w, gemm, other), other);
  const int routed = route(w, gemm, other);
  if (sends_copies()) w.kernel("copies", move_copies(1 + copies), other);
  const int arrived = dispatch(w, LayerCollective::expert_dispatch);
  const int shared = beside ? shared_.forward(w, gemm, other) : -1;
  experts_forward(w, routed, arrived, gemm, other);
  const int returned = combine(w, w.last_kernel());
  const int sum = w.kernel("sum of experts", move_copies(sends_copies() ? copies + 1 : 2), other, returned);
  if (beside) add_shared(w, shared, other);
  return shapes_.behind == LayerCollective::reduce ? w.collective(shapes_.behind, beside ? w.last_kernel() : sum) : -1;
}

void ExpertRecipes::experts_backward(RecipeWriter& w, int arrived) const {
  const StepCharge gemm = StepCharge::compute_gemm;
  const std::int64_t hidden = planned_.model.hidden;
  Span span(w, StepCharge::compute_other);
  span.kernel("rows by expert bwd", move_rows(pads_rows() ? 4 : 2), arrived);
  if (planned_.stack.lean_activations)
    span.kernel("expert activation again", activation(work_.rows, ffn_), StepCharge::recompute);
  if (kernels_.narrow_format()) span.kernel("cast rows bwd", cast(hidden_));
  span.kernel("experts down dgrad", multiply(rows_each_, ffn_, hidden), gemm);
  w.for_weights(span.kernel("experts down wgrad", gradient_multiply(ffn_, hidden), gemm));
  span.kernel("expert activation bwd", activation(work_.rows * backward_over_forward, ffn_));
  if (kernels_.narrow_format()) span.kernel("cast inner rows bwd", cast(static_cast<double>(ffn_)));
  span.kernel("experts up dgrad", multiply(rows_each_, hidden, up_), gemm);
  w.for_weights(span.kernel("experts up wgrad", gradient_multiply(hidden, up_), gemm));
  span.wait_for_busiest(work_.excess());
  if (planned_.stack.kernels.gradient_sum.value > 0)
    w.for_weights(w.kernel("gradient sum of experts", gradient_sum(hidden * (ffn_ + up_)), StepCharge::compute_other));
  // Kernels that the host could not issue ahead in the forward pass wait in the backward pass too.
  const int host = synchronises() ? w.host(-1) : -1;
  w.kernel("rows by token bwd", move_rows(pads_rows() ? 4 : 2), StepCharge::compute_other, host);
}

int ExpertRecipes::backward(RecipeWriter& w) const {
  const StepCharge other = StepCharge::compute_other;
  const bool beside = planned_.stack.experts.overlap_shared;
  const auto copies = static_cast<double>(planned_.model.experts->per_token);
  if (!beside) add_shared(w, shared_.backward(w), other);
  w.kernel("sum of experts bwd", move_copies(sends_copies() ? 2 * copies + 1 : 2), other);
  const int arrived = dispatch(w, LayerCollective::expert_dispatch_wide);
  const int shared = beside ? shared_.backward(w) : -1;
  experts_backward(w, arrived);
  w.kernel("copies bwd", move_copies(sends_copies() ? copies + 1 : 2), other, combine(w, w.last_kernel()));
  if (beside) add_shared(w, shared, other);
  route_backward(w);
  return shapes_.behind == LayerCollective::reduce ? w.collective(shapes_.behind, w.last_kernel()) : -1;
}

void ExpertRecipes::issue_rest(RecipeWriter& w) const {
  if (synchronises()) w.host(-1);
}

void ExpertRecipes::route_backward(RecipeWriter& w) const {
  const StepCharge gemm = StepCharge::compute_gemm;
  const auto experts = static_cast<double>(planned_.model.experts->experts);
  const auto tokens = std::max<std::int64_t>(1, std::llround(work_.tokens));
  w.kernel("route bwd",
           kernels_.launched(elementwise(work_.tokens * experts, router_bytes),
                             launched_routing_kernels(planned_.stack.experts)),
           StepCharge::compute_other);
  w.kernel("router dgrad", kernels_.gemm({tokens, planned_.model.hidden, routed_}, false, bytes_16bit * byte), gemm);
  w.for_weights(w.kernel("router wgrad",
                         kernels_.gemm({planned_.model.hidden, routed_, tokens, 1, GemmLayout::transposed_a}, false,
                                       planned_.stack.kernels.weight_gradient.value * byte),
                         gemm));
}

}  // namespace clusterwright
