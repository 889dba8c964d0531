// SPDX-License-Identifier: Apache-2.0
/// Writer that appends ops to a recipe and notes the op of another lane that each one waits for.
#pragma once

#include <string>
#include <utility>

#include "models/kernels/kernel_times.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/lowering/step_recipes.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

class RecipeWriter {
 public:
  RecipeWriter(StepGraphBuilder& builder, const CollectiveKernels& kernels) : builder_(builder), kernels_(kernels) {}

  /// @param after  op that must end first, or -1
  /// @return index of the kernel in the recipe
  int kernel(const std::string& name, const KernelTiming& price, StepCharge charge, int after = -1) {
    // Order on the compute lane is implied.
    if (after >= 0 && ops_[static_cast<std::size_t>(after)].collective == LayerCollective::none) after = -1;
    WorkTiming work = price.work;
    if (price.slow_down) work.sm_table = builder_.add_sm_table(*price.slow_down);
    return add({builder_.add_work(name, work), LayerCollective::none, charge, after, false, work.launch});
  }

  /// @return index of the collective, or -1 when `kind` is none
  int collective(LayerCollective kind, int after) {
    if (kind == LayerCollective::none) return -1;
    return add({kernels_[static_cast<std::size_t>(kind)], kind, charge_of(kind), after});
  }

  /// The host issues all kernels since the last call, one after the other.
  /// @param after  op whose result the host must see first, or -1
  /// @return index of the op, or -1 if it would do nothing
  int host(int after) {
    StepGraphBuilder::Leg leg;
    leg.timing.rate_bound = 1;
    for (; issued_ < ops_.size(); ++issued_) leg.timing.delay += ops_[issued_].host_time;
    if (after < 0 && leg.timing.delay.count == 0) return -1;
    RecipeOp op{WorkId(), LayerCollective::host, StepCharge::launch, after};
    op.issue = builder_.add_chain({leg});
    return add(op);
  }

  /// The last op of the compute lane, or -1.
  int last_kernel() const {
    int at = last();
    while (at >= 0 && ops_[static_cast<std::size_t>(at)].collective != LayerCollective::none) --at;
    return at;
  }
  /// Marks an op, if there is one, as needed for gradients of weights only.
  int for_weights(int op) {
    if (op >= 0) ops_[static_cast<std::size_t>(op)].for_weights = true;
    return op;
  }

  int last() const { return static_cast<int>(ops_.size()) - 1; }
  Recipe take() { return std::move(ops_); }

 private:
  static StepCharge charge_of(LayerCollective kind) {
    if (kind >= LayerCollective::expert_dispatch) return StepCharge::ep_exposed;
    return kind >= LayerCollective::context_step ? StepCharge::cp_exposed : StepCharge::tp_exposed;
  }

  int add(RecipeOp op) {
    ops_.push_back(op);
    return last();
  }

  StepGraphBuilder& builder_;
  const CollectiveKernels& kernels_;
  Recipe ops_;
  std::size_t issued_ = 0;  ///< first op that `host` has not issued
};

}  // namespace clusterwright
