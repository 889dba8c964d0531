#include "models/step_recipes.hpp"

#include <fmt/format.h>

namespace clusterwright {

namespace {

constexpr double bytes_16bit = 2;
constexpr double bytes_accumulated = 8;        // read and written in 32 bit
constexpr double backward_over_forward = 1.5;  // traffic of element-wise kernels: the gradient joins the input
constexpr double cast_bytes = 6;               // per element brought to 8 bit: read, write, write transposed, amax
constexpr double loss_bytes = 13;              // per logit and direction; docs/models.md, "Head and loss"

/// Appends ops; tells which op of the other lane each one waits for.
class RecipeWriter {
 public:
  RecipeWriter(StepGraphBuilder& builder, const DeviceCosts& costs, WorkId collective_kernel)
      : builder_(builder), costs_(costs), collective_kernel_(collective_kernel) {}

  /// @return index of the kernel in the recipe
  int kernel(const std::string& name, const KernelPrice& price, StepCharge charge, int after = -1) {
    WorkPrice work = price.work;
    if (price.slow_down) work.sm_table = builder_.add_sm_table(*price.slow_down);
    return add({builder_.add_work(name, work), TensorCollective::none, charge, after});
  }

  /// @return index of the collective, or -1 when `kind` is none
  int collective(TensorCollective kind, int after) {
    if (kind == TensorCollective::none) return -1;
    return add({collective_kernel_, kind, StepCharge::tp_exposed, after});
  }

  int last() const { return static_cast<int>(ops_.size()) - 1; }
  Recipe take() { return std::move(ops_); }
  const DeviceCosts& costs() const { return costs_; }

 private:
  int add(RecipeOp op) {
    ops_.push_back(op);
    return last();
  }

  StepGraphBuilder& builder_;
  const DeviceCosts& costs_;
  WorkId collective_kernel_;
  Recipe ops_;
};

/// Widths of one rank's share of the model, and how the tensor group talks.
class RankShapes {
 public:
  explicit RankShapes(const MemoryCase& c) : c_(c) {
    tokens = static_cast<std::int64_t>(c.sequence) * c.plan.micro_batch;
    hidden = c.model.hidden;
    query = share(c.model.query_width());
    // Fewer key-value heads than ranks: each rank keeps a copy of one.
    key_value = std::max(share(c.model.key_value_width()), c.model.width_of_head());
    ffn = share(c.model.ffn);
    up = ffn * (c.model.gated_mlp ? 2 : 1);
    vocabulary = share(c.model.vocabulary);
    const bool parallel = c.plan.tensor > 1;
    before = parallel && c.plan.sequence_parallel ? TensorCollective::gather : TensorCollective::none;
    behind = !parallel ? TensorCollective::none
                       : (c.plan.sequence_parallel ? TensorCollective::scatter : TensorCollective::reduce);
  }

  /// Traffic of kernels on residual-stream tensors. @param widths  hidden-wide 16-bit tensors read or written
  Bytes residual(double widths) const {
    const double split = c_.plan.sequence_parallel ? c_.plan.tensor : 1;
    return static_cast<double>(tokens * hidden) * widths * bytes_16bit / split * byte;
  }
  /// Traffic of kernels on tensors that the tensor group splits.
  Bytes split(std::int64_t width, double tensors) const {
    return static_cast<double>(tokens * width) * tensors * bytes_16bit * byte;
  }

  std::int64_t tokens, hidden, query, key_value, ffn, up, vocabulary;
  TensorCollective before;  ///< in front of matrix multiplies that split their columns
  TensorCollective behind;  ///< after those that split their rows

 private:
  std::int64_t share(std::int64_t width) const { return (width + c_.plan.tensor - 1) / c_.plan.tensor; }
  const MemoryCase& c_;
};

/// Writes the recipes of one model under one plan.
class RecipeBook {
 public:
  RecipeBook(StepGraphBuilder& builder, const DeviceCosts& costs, const MemoryCase& c)
      : builder_(builder),
        costs_(costs),
        c_(c),
        s_(c),
        collective_kernel_(builder.add_work("tensor-parallel collective", costs.collective().work)) {}

  Recipe layer_forward(bool again) const;
  Recipe layer_backward() const;
  Recipe embedding(bool forward) const;
  Recipe head_forward() const;
  Recipe head_backward() const;

 private:
  RecipeWriter writer() const { return {builder_, costs_, collective_kernel_}; }
  KernelPrice multiply(std::int64_t m, std::int64_t n, std::int64_t k, bool narrow = true,
                       bool accumulate = false) const {
    return costs_.gemm({m, n, k}, narrow, (accumulate ? bytes_accumulated : bytes_16bit) * byte);
  }
  KernelPrice attention(bool forward) const {
    return costs_.attention({static_cast<double>(c_.plan.micro_batch), static_cast<double>(c_.sequence),
                             static_cast<double>(s_.query) / static_cast<double>(c_.model.width_of_head()),
                             static_cast<double>(c_.model.width_of_head()), forward});
  }
  Bytes activation_traffic() const;
  Bytes rotary_traffic() const;
  Bytes cast_traffic() const;
  int linear_backward(RecipeWriter& w, const std::string& name, std::int64_t n, std::int64_t k, bool columns,
                      bool narrow, int after) const;
  void mlp_backward(RecipeWriter& w) const;
  void attention_backward(RecipeWriter& w, int entry) const;

  StepGraphBuilder& builder_;
  const DeviceCosts& costs_;
  const MemoryCase& c_;
  RankShapes s_;
  WorkId collective_kernel_;
};

Bytes RecipeBook::activation_traffic() const {
  const double gated = c_.stack.fused_elementwise ? 3 : 5;  // read both halves, write one; unfused: twice
  const double plain = c_.stack.fused_elementwise ? 2 : 4;
  return s_.split(s_.ffn, c_.model.gated_mlp ? gated : plain);
}

Bytes RecipeBook::rotary_traffic() const {
  const double passes = c_.stack.fused_elementwise ? 2 : 4;  // layout change and rotation, or bias on their own
  return s_.split(s_.query + 2 * s_.key_value, passes);
}

Bytes RecipeBook::cast_traffic() const {
  const double elements = static_cast<double>(s_.tokens) * static_cast<double>(2 * s_.hidden + s_.query + s_.ffn);
  return elements * cast_bytes * byte;
}

Recipe RecipeBook::layer_forward(bool again) const {
  const auto charge = [&](StepCharge own) { return again ? StepCharge::recompute : own; };
  const StepCharge gemm = charge(StepCharge::compute_gemm), other = charge(StepCharge::compute_other);
  const double dropout = c_.model.biases ? 1 : 0;
  RecipeWriter w = writer();
  if (costs_.narrow_format()) w.kernel("cast", costs_.elementwise(cast_traffic()), other);
  int at = w.kernel("norm", costs_.elementwise(s_.residual(2)), other);
  at = w.collective(s_.before, at);
  w.kernel("qkv", multiply(s_.tokens, s_.query + 2 * s_.key_value, s_.hidden), gemm, at);
  w.kernel("rotary", costs_.elementwise(rotary_traffic()), other);
  w.kernel("attention", attention(true), charge(StepCharge::compute_attention));
  at = w.kernel("projection", multiply(s_.tokens, s_.hidden, s_.query), gemm);
  at = w.collective(s_.behind, at);
  at = w.kernel("residual and norm", costs_.elementwise(s_.residual(5 + dropout)), other, at);
  at = w.collective(s_.before, at);
  w.kernel("mlp up", multiply(s_.tokens, s_.up, s_.hidden), gemm, at);
  w.kernel("activation", costs_.elementwise(activation_traffic()), other);
  at = w.kernel("mlp down", multiply(s_.tokens, s_.hidden, s_.ffn), gemm);
  at = w.collective(s_.behind, at);
  w.kernel("residual", costs_.elementwise(s_.residual(3 + dropout)), other, at);
  return w.take();
}

/// Gradients of y = x W, W of k x n on this rank: by input, then by weight.
///
/// `columns`: the group splits n, so dx must be reduced behind, and x, stored in shards, gathered once more for the
/// weight gradient. Otherwise it splits k, and dy must be gathered first.
/// @param after  op that produced dy
/// @return the op that the next kernel must wait for on the other lane, or -1
int RecipeBook::linear_backward(RecipeWriter& w, const std::string& name, std::int64_t n, std::int64_t k, bool columns,
                                bool narrow, int after) const {
  const StepCharge gemm = StepCharge::compute_gemm;
  const bool hidden = c_.stack.overlap_weight_gradient;
  if (!columns) {
    const int dy = w.collective(s_.before, after);
    w.kernel(name + " dgrad", multiply(s_.tokens, k, n, narrow), gemm, dy);
    w.kernel(name + " wgrad", multiply(k, n, s_.tokens, narrow, true), gemm);
    return -1;
  }
  const int x = w.collective(s_.before, after);
  const int dgrad = w.kernel(name + " dgrad", multiply(s_.tokens, k, n, narrow), gemm, hidden ? -1 : x);
  const int dx = w.collective(s_.behind, dgrad);
  w.kernel(name + " wgrad", multiply(k, n, s_.tokens, narrow, true), gemm, hidden ? x : dx);
  return dx;
}

void RecipeBook::mlp_backward(RecipeWriter& w) const {
  const double dropout = c_.model.biases ? 1 : 0;
  const int entry = w.kernel("residual bwd", costs_.elementwise(s_.residual(2 + dropout)), StepCharge::compute_other);
  if (c_.stack.lean_activations) {
    w.kernel("activation again", costs_.elementwise(activation_traffic()), StepCharge::recompute);
  }
  linear_backward(w, "mlp down", s_.hidden, s_.ffn, false, true, entry);
  const int act = w.kernel("activation bwd", costs_.elementwise(backward_over_forward * activation_traffic()),
                           StepCharge::compute_other);
  const int dx = linear_backward(w, "mlp up", s_.up, s_.hidden, true, true, act);
  w.kernel("norm bwd", costs_.elementwise(s_.residual(backward_over_forward * (5 + dropout))),
           StepCharge::compute_other, dx);
}

void RecipeBook::attention_backward(RecipeWriter& w, int entry) const {
  linear_backward(w, "projection", s_.hidden, s_.query, false, true, entry);
  const bool scores_dropped = c_.plan.recompute == Recompute::selective && c_.stack.attention == "unfused";
  if (scores_dropped) w.kernel("attention again", attention(true), StepCharge::recompute);
  w.kernel("attention bwd", attention(false), StepCharge::compute_attention);
  const int rotary =
      w.kernel("rotary bwd", costs_.elementwise(backward_over_forward * rotary_traffic()), StepCharge::compute_other);
  const int dx = linear_backward(w, "qkv", s_.query + 2 * s_.key_value, s_.hidden, true, true, rotary);
  w.kernel("norm bwd", costs_.elementwise(s_.residual(backward_over_forward * 2)), StepCharge::compute_other, dx);
}

Recipe RecipeBook::layer_backward() const {
  RecipeWriter w = writer();
  if (costs_.narrow_format()) w.kernel("cast bwd", costs_.elementwise(cast_traffic()), StepCharge::compute_other);
  if (c_.stack.lean_activations) w.kernel("norms again", costs_.elementwise(s_.residual(4)), StepCharge::recompute);
  mlp_backward(w);
  attention_backward(w, w.last());
  return w.take();
}

Recipe RecipeBook::embedding(bool forward) const {
  RecipeWriter w = writer();
  const Bytes rows = static_cast<double>(s_.tokens * s_.hidden) * byte;
  if (forward) {
    const int at = w.kernel("embedding", costs_.elementwise(rows * 2 * bytes_16bit), StepCharge::compute_other);
    const int sum = w.collective(s_.behind, at);
    w.kernel("embedding output", costs_.elementwise(s_.residual(2)), StepCharge::compute_other, sum);
  } else {
    const int at = w.kernel("embedding gradient input", costs_.elementwise(s_.residual(1)), StepCharge::compute_other);
    const int whole = w.collective(s_.before, at);
    w.kernel("embedding bwd", costs_.elementwise(rows * (bytes_16bit + bytes_accumulated)), StepCharge::compute_other,
             whole);
  }
  return w.take();
}

Recipe RecipeBook::head_forward() const {
  RecipeWriter w = writer();
  const int norm = w.kernel("final norm", costs_.elementwise(s_.residual(2)), StepCharge::compute_other);
  const int whole = w.collective(s_.before, norm);
  w.kernel("logits", multiply(s_.tokens, s_.vocabulary, s_.hidden, false), StepCharge::compute_gemm, whole);
  const Bytes logits = static_cast<double>(s_.tokens * s_.vocabulary) * loss_bytes * byte;
  w.kernel("loss", costs_.elementwise(logits), StepCharge::compute_other);
  return w.take();
}

Recipe RecipeBook::head_backward() const {
  RecipeWriter w = writer();
  const Bytes logits = static_cast<double>(s_.tokens * s_.vocabulary) * loss_bytes * byte;
  const int loss = w.kernel("loss bwd", costs_.elementwise(logits), StepCharge::compute_other);
  const int dx = linear_backward(w, "logits", s_.vocabulary, s_.hidden, true, false, loss);
  w.kernel("final norm bwd", costs_.elementwise(s_.residual(3)), StepCharge::compute_other, dx);
  return w.take();
}

}  // namespace

StepRecipes write_recipes(StepGraphBuilder& builder, const DeviceCosts& costs, const MemoryCase& c) {
  const RecipeBook book(builder, costs, c);
  StepRecipes recipes;
  recipes.layer_forward = book.layer_forward(false);
  if (c.plan.recompute == Recompute::full) recipes.layer_again = book.layer_forward(true);
  recipes.layer_backward = book.layer_backward();
  recipes.embedding_forward = book.embedding(true);
  recipes.embedding_backward = book.embedding(false);
  recipes.head_forward = book.head_forward();
  recipes.head_backward = book.head_backward();
  recipes.data_collective = builder.add_work("data-parallel collective", costs.collective().work);
  recipes.message = builder.add_work("pipeline message", costs.message().work);
  return recipes;
}

WorkId add_optimizer(StepGraphBuilder& builder, const DeviceCosts& costs, double local, double owned,
                     double gradient_size) {
  // Adam: gradient read, three 32-bit states read and written, 16-bit weight written; norm reads owned gradients; the
  // whole gradient buffer is cleared for the next step.
  constexpr double adam_bytes = 4 + 3 * 8 + 2;
  const Bytes traffic = (owned * (adam_bytes + gradient_size) + local * gradient_size) * byte;
  return builder.add_work("optimizer", costs.elementwise(traffic).work);
}

}  // namespace clusterwright
