/// Appends ops to a recipe and tells which op of another lane each one waits for.
#pragma once

#include <string>
#include <utility>

#include "models/device_costs.hpp"
#include "models/step_recipes.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

class RecipeWriter {
 public:
  RecipeWriter(StepGraphBuilder& builder, WorkId collective_kernel)
      : builder_(builder), collective_kernel_(collective_kernel) {}

  /// @param after  op that must end first, or -1
  /// @return index of the kernel in the recipe
  int kernel(const std::string& name, const KernelPrice& price, StepCharge charge, int after = -1) {
    // Order on the compute lane is implied.
    if (after >= 0 && ops_[static_cast<std::size_t>(after)].collective == LayerCollective::none) after = -1;
    WorkPrice work = price.work;
    if (price.slow_down) work.sm_table = builder_.add_sm_table(*price.slow_down);
    return add({builder_.add_work(name, work), LayerCollective::none, charge, after});
  }

  /// @return index of the collective, or -1 when `kind` is none
  int collective(LayerCollective kind, int after) {
    if (kind == LayerCollective::none) return -1;
    const bool context = kind >= LayerCollective::context_step;
    return add({collective_kernel_, kind, context ? StepCharge::cp_exposed : StepCharge::tp_exposed, after});
  }

  /// Marks an op, if there is one, as needed for gradients of weights only.
  int for_weights(int op) {
    if (op >= 0) ops_[static_cast<std::size_t>(op)].for_weights = true;
    return op;
  }

  int last() const { return static_cast<int>(ops_.size()) - 1; }
  Recipe take() { return std::move(ops_); }

 private:
  int add(RecipeOp op) {
    ops_.push_back(op);
    return last();
  }

  StepGraphBuilder& builder_;
  WorkId collective_kernel_;
  Recipe ops_;
};

}  // namespace clusterwright
