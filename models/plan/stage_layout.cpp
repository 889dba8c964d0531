// SPDX-License-Identifier: Apache-2.0
#include "models/plan/stage_layout.hpp"
#include "models/plan/plan.hpp"

#include <algorithm>

namespace clusterwright {

bool splits_evenly(std::int64_t layers, int parts) {
  return layers % parts == 0 || (layers + 2) % parts == 0;
}

StageLayout::StageLayout(std::int64_t layers, int stages, int chunks_per_stage)
    : stages_(stages), chunks_(chunks_per_stage), contents_(static_cast<std::size_t>(stages * chunks_per_stage)) {
  const int parts = stages * chunks_per_stage;
  contents_.front().embedding = true;
  contents_.back().head = true;
  const bool even = layers % parts == 0;
  // Embedding and head count as a layer each unless the layers alone divide (or everything sits in one chunk).
  const auto slots = static_cast<int>(layers) + (even || parts == 1 ? 0 : 2);
  const int base = slots / parts;
  const int remainder = slots % parts;
  const int first_extra = (parts - remainder) / 2;
  for (int i = 0; i < parts; ++i)
    contents_[static_cast<std::size_t>(i)].layers = base + (i >= first_extra && i < first_extra + remainder ? 1 : 0);
  if (slots != layers) {
    --contents_.front().layers;
    --contents_.back().layers;
  }
  number_layers();
}

void StageLayout::number_layers() {
  for (std::size_t i = 1; i < contents_.size(); ++i)
    contents_[i].first_layer = contents_[i - 1].first_layer + contents_[i - 1].layers;
}

StageLayout::StageLayout(const std::vector<int>& layers, int stages)
    : stages_(stages), chunks_(static_cast<int>(layers.size()) / stages), contents_(layers.size()) {
  for (std::size_t i = 0; i < layers.size(); ++i) contents_[i].layers = layers[i];
  contents_.front().embedding = true;
  contents_.back().head = true;
  number_layers();
}

StageLayout StageLayout::mirrored() const {
  StageLayout both = *this;
  both.chunks_ = 2;
  both.mirrored_ = true;
  both.contents_.insert(both.contents_.end(), contents_.rbegin(), contents_.rend());
  return both;
}

int StageLayout::layers_before(int stage, int chunk) const {
  int layers = 0;
  for (int earlier = 0; earlier < chunk; ++earlier) layers += at(stage, earlier).layers;
  return layers;
}

int StageLayout::layers_on(int stage) const {
  return layers_before(stage, chunks_);
}

int StageLayout::most_layers() const {
  int most = 0;
  for (int stage = 0; stage < stages_; ++stage) most = std::max(most, layers_on(stage));
  return most;
}

bool StageLayout::holds(int stage, bool ChunkContents::*what) const {
  for (int chunk = 0; chunk < chunks_; ++chunk)
    if (at(stage, chunk).*what) return true;
  return false;
}

StageLayout stage_layout(std::int64_t layers, const Plan& plan) {
  const StageLayout once = plan.stage_layers.empty() ? StageLayout(layers, plan.pipeline, plan.virtual_pipeline)
                                                     : StageLayout(plan.stage_layers, plan.pipeline);
  return plan.weight_copies() > 1 ? once.mirrored() : once;
}

}  // namespace clusterwright
