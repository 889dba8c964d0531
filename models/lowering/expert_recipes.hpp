// SPDX-License-Identifier: Apache-2.0
/// Forward and backward pass of one layer's mixture of experts on one rank: router, exchange, multiplies.
#pragma once

#include "models/kernels/streaming_time.hpp"
#include "models/lowering/linear_recipes.hpp"
#include "models/lowering/shared_expert_recipes.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/plan/expert_work.hpp"

namespace clusterwright {

class ExpertRecipes {
 public:
  /// @pre the model has experts
  ExpertRecipes(const KernelTimes& kernels, const PlannedJob& planned, const RankShapes& shapes,
                const LinearRecipes& linears, const ExpertWork& work);

  /// From the normalised input, the last op so far, to the sum over experts.
  /// @param again  in the backward pass, for recomputation
  /// @return op of another lane that the sum comes from, or -1
  int forward(RecipeWriter& w, bool again) const;

  /// From the gradient of the sum, the last op so far, to that of the input.
  /// @return op of another lane that it comes from, or -1
  int backward(RecipeWriter& w) const;

  /// End of the recipe of a layer: a host without a lead issues what is left before it comes to the next layer.
  void issue_rest(RecipeWriter& w) const;

 private:
  /// Kernels between the arrival of rows and their return, which the busiest rank spends longer on than the mean.
  class Span;

  KernelTiming elementwise(double elements, double bytes) const;
  KernelTiming move_rows(double passes) const { return elementwise(work_.rows * hidden_ * passes, bytes_16bit); }
  KernelTiming move_copies(double widths) const { return elementwise(work_.tokens * hidden_ * widths, bytes_16bit); }
  KernelTiming multiply(std::int64_t m, std::int64_t n, std::int64_t k) const;
  /// Product over the rows, added to the gradients of an expert's weights.
  KernelTiming gradient_multiply(std::int64_t m, std::int64_t n) const;
  /// Kernels that add the gradients of an expert's weights to the buffer.
  KernelTiming gradient_sum(std::int64_t elements) const;
  KernelTiming cast(double width) const;
  /// The same kernel for each expert of the rank, unless one does for all.
  KernelTiming for_each_expert(KernelTiming price) const;
  /// Multiplies in a narrow format want whole blocks of rows: expert by expert, rows are copied apart and back.
  bool pads_rows() const { return kernels_.narrow_format() && !planned_.stack.experts.one_launch; }
  KernelTiming activation(double rows, std::int64_t width) const;
  bool sends_copies() const { return planned_.stack.experts.transfer == ExpertTransfer::all_to_all; }
  bool synchronises() const {
    return planned_.stack.experts.synchronises && !planned_.routing.capacity_factor &&
           planned_.stack.graph_capture != GraphCapture::all;
  }
  bool one_launch() const { return planned_.stack.experts.one_launch; }
  int dispatch(RecipeWriter& w, LayerCollective kind) const;
  int combine(RecipeWriter& w, int after) const;
  int route(RecipeWriter& w, StepCharge gemm, StepCharge other) const;
  void route_backward(RecipeWriter& w) const;
  /// @param routed  op behind which the host knows how many rows there are
  void experts_forward(RecipeWriter& w, int routed, int arrived, StepCharge gemm, StepCharge other) const;
  void experts_backward(RecipeWriter& w, int arrived) const;
  void add_shared(RecipeWriter& w, int after, StepCharge other) const;

  const KernelTimes& kernels_;
  const PlannedJob& planned_;
  const RankShapes& shapes_;
  const ExpertWork& work_;
  double hidden_, traffic_factor_;
  std::int64_t ffn_, up_, rows_each_, routed_;
  double row_deviation_ = 0;  ///< of the rows of an expert
  SharedExpertRecipes shared_;
};

}  // namespace clusterwright
