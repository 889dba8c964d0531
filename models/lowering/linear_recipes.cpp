// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/linear_recipes.hpp"

#include "models/lowering/step_charge.hpp"

namespace clusterwright {

namespace {

KernelTiming times(KernelTiming price, int count) {
  price.work.duration = {price.work.duration.count * count};
  price.work.launch = {price.work.launch.count * count};
  return price;
}

}  // namespace

KernelTiming LinearRecipes::multiply(std::int64_t m, std::int64_t n, std::int64_t k, bool narrow, double output) const {
  return kernels_.gemm({m, n, k}, narrow, output * byte);
}

KernelTiming LinearRecipes::forward_multiply(const Linear& linear) const {
  return multiply(shapes_.tokens, linear.n, linear.k, linear.narrow, (linear.adds ? 2 : 1) * shapes_.element);
}

KernelTiming LinearRecipes::gradient_multiply(std::int64_t k, std::int64_t n, bool narrow) const {
  return kernels_.gemm({k, n, shapes_.tokens, 1, GemmLayout::transposed_a}, narrow,
                       planned_.stack.kernels.weight_gradient.value * byte);
}

bool LinearRecipes::in_pieces() const {
  return planned_.stack.tensor_overlap == TensorOverlap::pieces && shapes_.before != LayerCollective::none &&
         shapes_.tokens >= 2 * planned_.plan.tensor;
}

LinearRecipes::Pieces LinearRecipes::cut(std::int64_t m, std::int64_t n, std::int64_t k, bool narrow) const {
  const KernelTiming one = multiply(m / planned_.plan.tensor, n, k, narrow);
  return {times(one, planned_.plan.tensor - 1), one};
}

/// tokens x k, gathered, times k x n. In pieces, a rank starts with the rows that it has.
int LinearRecipes::gathered(RecipeWriter& w, const std::string& name, std::int64_t n, std::int64_t k, bool narrow,
                            StepCharge charge, int after) const {
  const int whole = w.collective(shapes_.before, after);
  if (!in_pieces()) return w.kernel(name, multiply(shapes_.tokens, n, k, narrow), charge, whole >= 0 ? whole : after);
  const Pieces pieces = cut(shapes_.tokens, n, k, narrow);
  w.kernel(name + ", pieces", pieces.most, charge, after);
  return w.kernel(name + ", last piece", pieces.one, charge, whole);
}

/// tokens x k times k x n, then reduced over the group. In pieces, rows travel as soon as they are there.
int LinearRecipes::scattered(RecipeWriter& w, const std::string& name, std::int64_t n, std::int64_t k, bool narrow,
                             StepCharge charge, int after) const {
  if (!in_pieces())
    return w.collective(shapes_.behind, w.kernel(name, multiply(shapes_.tokens, n, k, narrow), charge, after));
  const Pieces pieces = cut(shapes_.tokens, n, k, narrow);
  const int first = w.kernel(name + ", first piece", pieces.one, charge, after);
  const int reduced = w.collective(shapes_.behind, first);
  w.kernel(name + ", pieces", pieces.most, charge);
  return reduced;
}

void LinearRecipes::adapters_forward(RecipeWriter& w, const Linear& linear, StepCharge charge) const {
  if (!has_adapters()) return;
  w.kernel(linear.name + " adapter down", multiply(shapes_.tokens, planned_.lora_rank, linear.k, false), charge);
  w.kernel(linear.name + " adapter up", multiply(shapes_.tokens, linear.n, planned_.lora_rank, false), charge);
  w.kernel(linear.name + " adapter sum", kernels_.elementwise(shapes_.split(linear.n, 3)), StepCharge::compute_other);
}

void LinearRecipes::adapters_backward(RecipeWriter& w, const Linear& linear, int after) const {
  const StepCharge gemm = StepCharge::compute_gemm;
  const std::int64_t rank = planned_.lora_rank;
  w.kernel(linear.name + " adapter up dgrad", multiply(shapes_.tokens, rank, linear.n, false), gemm, after);
  w.for_weights(w.kernel(linear.name + " adapter up wgrad", gradient_multiply(rank, linear.n, false), gemm));
  w.kernel(linear.name + " adapter down dgrad", multiply(shapes_.tokens, linear.k, rank, false), gemm);
  w.for_weights(w.kernel(linear.name + " adapter down wgrad", gradient_multiply(linear.k, rank, false), gemm));
  w.kernel(linear.name + " adapter sum bwd", kernels_.elementwise(shapes_.split(linear.k, 3)),
           StepCharge::compute_other);
}

int LinearRecipes::forward(RecipeWriter& w, const Linear& linear, StepCharge charge, int after) const {
  if (!linear.exchange) {
    w.kernel(linear.name, forward_multiply(linear), charge, after);
    adapters_forward(w, linear, charge);
    return -1;
  }
  if (linear.columns) {
    gathered(w, linear.name, linear.n, linear.k, linear.narrow, charge, after);
    adapters_forward(w, linear, charge);
    return -1;
  }
  if (!has_adapters() && !linear.adds)
    return scattered(w, linear.name, linear.n, linear.k, linear.narrow, charge, after);
  // The sums of the adapters are reduced with the rest.
  w.kernel(linear.name, forward_multiply(linear), charge, after);
  adapters_forward(w, linear, charge);
  return w.collective(shapes_.behind, w.last());
}

void LinearRecipes::weight_gradient(RecipeWriter& w, const Linear& linear, int after) const {
  if (has_adapters()) return adapters_backward(w, linear, after);
  w.for_weights(w.kernel(linear.name + " wgrad", gradient_multiply(linear.k, linear.n, linear.narrow),
                         StepCharge::compute_gemm, after));
  const double each = planned_.stack.kernels.gradient_sum.value;
  if (each <= 0) return;
  const Bytes traffic = static_cast<double>(linear.k * linear.n) * each * byte;
  w.for_weights(w.kernel(linear.name + " gradient sum", kernels_.launched(kernels_.elementwise(traffic), 1),
                         StepCharge::compute_other));
}

int LinearRecipes::backward(RecipeWriter& w, const Linear& linear, int after) const {
  const StepCharge gemm = StepCharge::compute_gemm;
  if (!linear.exchange) {
    w.kernel(linear.name + " dgrad", multiply(shapes_.tokens, linear.k, linear.n, linear.narrow), gemm, after);
    weight_gradient(w, linear, -1);
    return -1;
  }
  if (!linear.columns) {
    gathered(w, linear.name + " dgrad", linear.k, linear.n, linear.narrow, gemm, after);
    weight_gradient(w, linear, -1);
    return -1;
  }
  const bool hidden = planned_.stack.overlap_weight_gradient;
  const int x = w.for_weights(w.collective(shapes_.before, after));
  if (in_pieces()) {
    const int dx = scattered(w, linear.name + " dgrad", linear.k, linear.n, linear.narrow, gemm, -1);
    weight_gradient(w, linear, x);
    return dx;
  }
  const int dgrad = w.kernel(linear.name + " dgrad", multiply(shapes_.tokens, linear.k, linear.n, linear.narrow), gemm,
                             hidden ? -1 : x);
  const int dx = w.collective(shapes_.behind, dgrad);
  weight_gradient(w, linear, hidden ? x : dx);
  return dx;
}

}  // namespace clusterwright
