// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/pass_rows.hpp"

#include "models/lowering/head_passes.hpp"

namespace clusterwright {

RowWriter::RowWriter(StepGraphBuilder& builder, OpWriter& writer, RankOps& ops, const PlannedStep& step,
                     const StepRecipes& recipes)
    : builder_(builder),
      writer_(writer),
      ops_(ops),
      step_(step),
      recipes_(recipes),
      barrier_(builder.add_work(row_barrier, {})),
      pause_(builder.add_work(row_pause, {})) {}

/// The ops of a rank class are numbered as they are written.
OpId RowWriter::add_barrier(OpId before) {
  const OpId barrier = writer_.kernel(barrier_, StepCharge::compute_other, -1);
  if (before.exists())
    for (OpId op = before; op < barrier; op = op + 1) builder_.depends(op, barrier);
  writer_.kernel_behind(barrier, pause_, StepCharge::compute_other);
  return barrier;
}

void RowWriter::write(const std::vector<PassRow>& rows) {
  OpId barrier = add_barrier({});
  for (const PassRow& row : rows) {
    stamp(row);
    ops_.last_kernel();  // ends the row
    barrier = add_barrier(barrier);
  }
}

void RowWriter::stamp(const PassRow& row) {
  if (row.place == RowPlace::embedding) return stamp_embedding(row.pass);
  if (row.place == RowPlace::head) return stamp_head(row.pass);
  const LayerKind kind = row.place == RowPlace::dense_layers ? LayerKind::dense : LayerKind::experts;
  for (int i = 0; i < row.layers; ++i) stamp_layer(recipes_.layers[static_cast<std::size_t>(kind)], row.pass);
}

void RowWriter::stamp_layer(const LayerPasses& layer, RowPass pass) {
  switch (pass) {
    case RowPass::forward:
      return ops_.stamp(layer.forward, 0);
    case RowPass::repeated_backward:
      ops_.stamp(layer.again, 0);
      [[fallthrough]];
    case RowPass::backward:
      return ops_.stamp(layer.backward, 0);
    case RowPass::input_gradients:
      return ops_.stamp(layer.split.input, 0);
    case RowPass::weight_gradients:
      return ops_.stamp(layer.split.weight, 0);
  }
}

void RowWriter::stamp_embedding(RowPass pass) {
  if (pass != RowPass::weight_gradients)
    ops_.stamp(pass == RowPass::forward ? recipes_.embedding_forward : recipes_.embedding_backward, 0);
}

void RowWriter::stamp_head(RowPass pass) {
  if (pass == RowPass::forward) return stamp_head_forward(ops_, step_, recipes_, 0);
  const BackwardPart part = pass == RowPass::input_gradients    ? BackwardPart::input
                            : pass == RowPass::weight_gradients ? BackwardPart::weight
                                                                : BackwardPart::whole;
  stamp_head_backward(ops_, step_, recipes_, part, 0);
}

}  // namespace clusterwright
