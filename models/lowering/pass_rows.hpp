// SPDX-License-Identifier: Apache-2.0
/// Layers, embedding and head in rows by themselves, with nothing else on the device: what bounds on steps add up.
#pragma once

#include <vector>

#include "models/lowering/op_writer.hpp"
#include "models/lowering/planned_step.hpp"
#include "models/lowering/rank_ops.hpp"
#include "models/lowering/step_recipes.hpp"

namespace clusterwright {

enum class RowPlace { dense_layers, expert_layers, embedding, head };
inline constexpr std::size_t row_place_count = 4;

/// Passes of a row; the repeated one runs the forward pass of each layer again in front of its backward pass.
enum class RowPass { forward, backward, repeated_backward, input_gradients, weight_gradients };
inline constexpr std::size_t row_pass_count = 5;

struct PassRow {
  RowPlace place = RowPlace::dense_layers;
  RowPass pass = RowPass::forward;
  int layers = 1;  ///< of embedding and head ignored
};

/// Writes rows one after the other. In front of each row and behind the last stands a kernel without time, named
/// `row_barrier`, that waits for every op of the row before. A second one behind it, `row_pause`, holds back the
/// kernels of the row, not the collectives that need none of them: with a long pause they are done when the row begins.
inline constexpr const char* row_barrier = "row barrier";
inline constexpr const char* row_pause = "pause";

class RowWriter {
 public:
  RowWriter(StepGraphBuilder& builder, OpWriter& writer, RankOps& ops, const PlannedStep& step,
            const StepRecipes& recipes);

  void write(const std::vector<PassRow>& rows);

 private:
  OpId add_barrier(OpId before);
  void stamp(const PassRow& row);
  void stamp_layer(const LayerPasses& layer, RowPass pass);
  void stamp_embedding(RowPass pass);
  void stamp_head(RowPass pass);

  StepGraphBuilder& builder_;
  OpWriter& writer_;
  RankOps& ops_;
  const PlannedStep& step_;
  const StepRecipes& recipes_;
  WorkId barrier_, pause_;
};

}  // namespace clusterwright
