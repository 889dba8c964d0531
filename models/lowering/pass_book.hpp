// SPDX-License-Identifier: Apache-2.0
/// Rows of recipes as passes and single ops, each cut when it comes for the first time.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "models/lowering/pass_plan.hpp"
#include "models/lowering/recipe.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

/// One recipe in a row, or two by turns: each runs up to and with its next collective, whose wait the other one's
/// kernels hide.
struct RecipeUse {
  const Recipe* recipe = nullptr;
  const Recipe* beside = nullptr;  ///< nullptr: none
  bool second = false;             ///< of the second micro-batch of the row
  bool beside_second = false;
  auto operator<=>(const RecipeUse&) const = default;
};

/// What tells rows of the same recipes apart.
struct RowKind {
  bool own_tensor = false;   ///< the tensor group is one rank class: its collectives may be inside passes
  bool tensor_runs = false;  ///< a collective of the tensor group may run on when the row begins
  auto operator<=>(const RowKind&) const = default;
};

struct WrittenRow {
  std::vector<StretchOp> ops;
  std::vector<PassPlanStep> steps;
  std::vector<PassId> passes;  ///< by step; "none" for single ops
  bool tensor_runs = false;    ///< a collective of the tensor group may run on when the row ends
};

/// Chains of the tensor group in StepStructure::pass_chains, in this order.
inline constexpr std::array<LayerCollective, 3> pass_collectives = {LayerCollective::gather, LayerCollective::scatter,
                                                                    LayerCollective::reduce};

class PassBook {
 public:
  explicit PassBook(StepGraphBuilder& builder) : builder_(builder) {}
  PassBook(const PassBook&) = delete;
  PassBook& operator=(const PassBook&) = delete;

  /// The same row of the same recipes is cut once. @param recipes  must not change while the book is in use
  const WrittenRow& row(const std::vector<RecipeUse>& recipes, const RowKind& kind);

 private:
  StepGraphBuilder& builder_;
  std::map<std::pair<std::vector<RecipeUse>, RowKind>, WrittenRow> rows_;
};

}  // namespace clusterwright
