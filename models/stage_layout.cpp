#include "models/stage_layout.hpp"

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
}

int StageLayout::layers_before(int stage, int chunk) const {
  int layers = 0;
  for (int earlier = 0; earlier < chunk; ++earlier) layers += at(stage, earlier).layers;
  return layers;
}

int StageLayout::layers_on(int stage) const {
  return layers_before(stage, chunks_);
}

}  // namespace clusterwright
