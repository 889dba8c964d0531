// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/step_recipes.hpp"

#include "models/kernels/streaming_time.hpp"
#include "models/lowering/layer_recipes.hpp"
#include "models/lowering/step_charge.hpp"

namespace clusterwright {

namespace {

/// Kernels in front of the first layer and behind the last.
class EndRecipes {
 public:
  EndRecipes(StepGraphBuilder& builder, const KernelTimes& kernels, const PlannedJob& planned,
             const CollectiveKernels& collectives)
      : builder_(builder),
        kernels_(kernels),
        planned_(planned),
        collectives_(collectives),
        shapes_(planned),
        linears_(kernels, planned, shapes_),
        logits_{"logits", shapes_.vocabulary, shapes_.hidden, true, false},
        join_{"join prediction", shapes_.hidden / planned.plan.tensor, 2 * shapes_.hidden, true, false} {}

  Recipe embedding_forward() const {
    RecipeWriter w = writer();
    const int at =
        w.kernel("embedding", stream(StreamingKernel::embedding, KernelPass::forward, rows(2 * shapes_.element)),
                 StepCharge::compute_other);
    const int sum = w.collective(shapes_.behind, at);
    if (!planned_.stack.kernels.plain_embedding || sum >= 0)
      w.kernel("embedding output", kernels_.elementwise(shapes_.residual(2)), StepCharge::compute_other, sum);
    return w.take();
  }

  Recipe embedding_backward() const {
    RecipeWriter w = writer();
    if (planned_.lora_rank > 0) return w.take();  // frozen
    if (planned_.stack.kernels.plain_embedding) {
      plain_embedding_backward(w);
      return w.take();
    }
    const int at =
        w.kernel("embedding gradient input", kernels_.elementwise(shapes_.residual(1)), StepCharge::compute_other);
    const int whole = w.collective(shapes_.before, at);
    w.kernel("embedding bwd", kernels_.elementwise(rows(shapes_.element + bytes_accumulated)),
             StepCharge::compute_other, whole);
    return w.take();
  }

  /// The hidden state of a position and the embedding of the token behind it are normalised and joined.
  Recipe prediction_forward() const {
    RecipeWriter w = writer();
    int at = w.kernel("next embedding", kernels_.elementwise(rows(2 * shapes_.element)), StepCharge::compute_other);
    at = w.collective(shapes_.behind, at);
    at = w.kernel("norms of prediction", kernels_.elementwise(shapes_.residual(4)), StepCharge::compute_other, at);
    at = w.collective(shapes_.before, at);
    w.kernel(join_.name, multiply(shapes_.tokens, join_.n, join_.k), StepCharge::compute_gemm, at);
    return w.take();
  }

  Recipe prediction_backward() const {
    RecipeWriter w = writer();
    const int dx =
        planned_.lora_rank > 0
            ? w.collective(shapes_.behind, w.kernel("join prediction dgrad", multiply(shapes_.tokens, join_.k, join_.n),
                                                    StepCharge::compute_gemm))
            : linears_.backward(w, join_, -1);
    w.kernel("norms of prediction bwd", kernels_.elementwise(shapes_.residual(6)), StepCharge::compute_other, dx);
    return w.take();
  }

  Recipe head_forward() const {
    RecipeWriter w = writer();
    const int norm = w.kernel("final norm", stream(StreamingKernel::norm, KernelPass::forward, shapes_.residual(2)),
                              StepCharge::compute_other);
    const int whole = w.collective(shapes_.before, norm);
    w.kernel("logits", multiply(shapes_.tokens, shapes_.vocabulary, shapes_.hidden), StepCharge::compute_gemm, whole);
    w.kernel("loss", stream(StreamingKernel::loss, KernelPass::forward, logits(planned_.stack.kernels.loss.value)),
             StepCharge::compute_other);
    return w.take();
  }

  Recipe head_backward() const {
    RecipeWriter w = writer();
    // The gradient of the residual stream is still zero, but a kernel that adds to it reads it too.
    const double norm_widths = shapes_.adds_in_multiply ? 4 : 3;
    const double traffic = planned_.stack.kernels.loss_backward.value;
    const int loss = traffic <= 0
                         ? -1
                         : w.kernel("loss bwd", stream(StreamingKernel::loss, KernelPass::backward, logits(traffic)),
                                    StepCharge::compute_other);
    int dx = -1;
    if (planned_.lora_rank > 0) {
      dx = w.collective(shapes_.behind,
                        w.kernel("logits dgrad", multiply(shapes_.tokens, shapes_.hidden, shapes_.vocabulary),
                                 StepCharge::compute_gemm, loss));
    } else {
      dx = linears_.backward(w, logits_, loss);
    }
    w.kernel("final norm bwd", stream(StreamingKernel::norm, KernelPass::backward, shapes_.residual(norm_widths)),
             StepCharge::compute_other, dx);
    return w.take();
  }

 private:
  RecipeWriter writer() const { return {builder_, collectives_}; }
  KernelTiming multiply(std::int64_t m, std::int64_t n, std::int64_t k) const {
    return kernels_.gemm({m, n, k}, false, shapes_.element * byte);
  }
  KernelTiming stream(StreamingKernel kernel, KernelPass pass, Bytes traffic) const {
    return kernels_.elementwise(traffic, {kernel, pass});
  }
  /// @param each  bytes moved for one element
  Bytes rows(double each) const { return static_cast<double>(shapes_.tokens * shapes_.hidden) * byte * each; }
  Bytes logits(double each) const { return static_cast<double>(shapes_.tokens * shapes_.vocabulary) * each * byte; }

  /// The table's gradient is cleared; each token's gradient is read, and the row that it is added to read and written.
  void plain_embedding_backward(RecipeWriter& w) const {
    const int whole = w.collective(shapes_.before, w.last());
    const Bytes table = static_cast<double>(shapes_.vocabulary * shapes_.hidden) * shapes_.element * byte;
    w.kernel("embedding bwd",
             stream(StreamingKernel::embedding, KernelPass::backward, table + rows(3 * shapes_.element)),
             StepCharge::compute_other, whole);
  }

  StepGraphBuilder& builder_;
  const KernelTimes& kernels_;
  const PlannedJob& planned_;
  const CollectiveKernels& collectives_;
  RankShapes shapes_;
  LinearRecipes linears_;
  Linear logits_, join_;
};

constexpr std::array<const char*, layer_collective_count> collective_names = {
    "",
    "tensor-parallel all-gather",
    "tensor-parallel reduce-scatter",
    "tensor-parallel all-reduce",
    "keys and values to the next rank",
    "keys, values and gradients to the next rank",
    "all-gather of keys and values",
    "reduce-scatter of gradients of keys and values",
    "exchange of heads",
    "exchange of heads back",
    "expert dispatch",
    "expert dispatch of gradients",
    "expert combine",
    "all-gather inside experts",
    "reduce-scatter inside experts",
    ""};

bool occurs(LayerCollective kind, const PlannedJob& planned) {
  if (kind == LayerCollective::none || kind == LayerCollective::host) return false;
  if (kind >= LayerCollective::expert_gather) return planned.plan.expert_tensor > 1;
  if (kind >= LayerCollective::expert_dispatch) return planned.plan.expert > 1;
  return (kind >= LayerCollective::context_step ? planned.plan.context : planned.plan.tensor) > 1;
}

CollectiveKernels add_collective_kernels(StepGraphBuilder& builder, const KernelTimes& kernels,
                                         const PlannedJob& planned) {
  CollectiveKernels works;
  for (std::size_t i = 0; i < layer_collective_count; ++i)
    if (occurs(static_cast<LayerCollective>(i), planned))
      works[i] = builder.add_work(collective_names[i], kernels.collective().work);
  return works;
}

}  // namespace

StepRecipes write_recipes(StepGraphBuilder& builder, const KernelTimes& kernels, const PlannedJob& planned,
                          const ExpertWork& work) {
  const CollectiveKernels collective = add_collective_kernels(builder, kernels, planned);
  const EndRecipes ends(builder, kernels, planned, collective);
  StepRecipes recipes;
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts}) {
    if (planned.model.layers_of(kind) == 0) continue;
    const LayerRecipes layer(builder, kernels, planned, collective, kind, work);
    LayerPasses& passes = recipes.layers[static_cast<std::size_t>(kind)];
    passes.forward = layer.forward(false);
    if (planned.plan.recompute == Recompute::full) passes.again = layer.forward(true);
    passes.backward = layer.backward();
  }
  if (planned.model.predicted_tokens > 0) {
    recipes.prediction_forward = ends.prediction_forward();
    recipes.prediction_backward = ends.prediction_backward();
  }
  recipes.embedding_forward = ends.embedding_forward();
  recipes.embedding_backward = ends.embedding_backward();
  recipes.head_forward = ends.head_forward();
  recipes.head_backward = ends.head_backward();
  const bool overlap = planned.stack.overlap_weight_gradient;
  for (LayerPasses& passes : recipes.layers) passes.split = split_backward(passes.backward, overlap);
  recipes.head_split = split_backward(recipes.head_backward, overlap);
  recipes.prediction_split = split_backward(recipes.prediction_backward, overlap);
  recipes.gather = builder.add_work("all-gather of weights", kernels.collective().work);
  recipes.scatter = builder.add_work("reduce-scatter of gradients", kernels.collective().work);
  recipes.reduce = builder.add_work("all-reduce of gradients", kernels.collective().work);
  recipes.norm = builder.add_work("norm of the gradient", kernels.collective().work);
  recipes.message = builder.add_work("pipeline message", kernels.message().work);
  recipes.host_copy = builder.add_work("host copy", kernels.host_copy().work);
  recipes.host_issue = builder.add_work(host_at_work, {});
  return recipes;
}

WorkTiming optimizer_work(const KernelTimes& kernels, double local, double owned, const SoftwareStack& stack) {
  // The norm reads owned gradients; the whole gradient buffer is cleared for the next step. fp16 scales its loss:
  // gradients are checked and unscaled first.
  const double size = stack.gradient_size.value;
  const double norm = stack.kernels.clips_gradients ? size : 0, cleared = stack.kernels.clears_gradients ? size : 0;
  const double unscale = kernels.precision() == Precision::fp16 ? 2 * size : 0;
  const Bytes traffic = (owned * (stack.kernels.update.value + norm + unscale) + local * cleared) * byte;
  return kernels.update(traffic, owned).work;
}

WorkId add_optimizer(StepGraphBuilder& builder, const KernelTimes& kernels, double local, double owned,
                     const SoftwareStack& stack) {
  return builder.add_work("optimizer", optimizer_work(kernels, local, owned, stack));
}

}  // namespace clusterwright
