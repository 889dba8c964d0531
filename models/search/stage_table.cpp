// SPDX-License-Identifier: Apache-2.0
#include "models/search/stage_table.hpp"

namespace clusterwright {

namespace {

ChunkShape shape_of(const Transformer& model, const ChunkContents& contents) {
  ChunkShape shape;
  shape.layers = contents.layers;
  shape.expert_layers = static_cast<int>(model.layers_of(LayerKind::experts, contents.first_layer, contents.layers));
  if (model.experts && shape.expert_layers > 0 && shape.dense_layers() > 0) shape.phase = contents.first_layer;
  shape.embedding = contents.embedding;
  shape.head = contents.head;
  return shape;
}

}  // namespace

StageTable::StageTable(const Transformer& model, const Plan& plan) : layout_(stage_layout(model.layers, plan)) {
  for (int chunk = 0; chunk < chunks(); ++chunk)
    for (int stage = 0; stage < stages(); ++stage) shapes_.push_back(shape_of(model, layout_.at(stage, chunk)));
  for (int stage = 0; stage < stages(); ++stage) {
    int found = 0;
    while (found < classes() && !alike(first_of(found), stage)) ++found;
    if (found == classes()) first_.push_back(stage);
    class_.push_back(found);
  }
}

bool StageTable::alike(int a, int b) const {
  for (int chunk = 0; chunk < chunks(); ++chunk)
    if (at(a, chunk) != at(b, chunk)) return false;
  return true;
}

}  // namespace clusterwright
