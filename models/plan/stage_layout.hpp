// SPDX-License-Identifier: Apache-2.0
/// Layers of each pipeline stage.
#pragma once

#include <cstdint>
#include <vector>

#include "models/plan/plan.hpp"

namespace clusterwright {

/// Contents of one chunk of one stage. Chunk c of stage s is number c * stages + s along the model.
struct ChunkContents {
  int layers = 0;
  int first_layer = 0;  ///< number in the model, from 0
  bool embedding = false;
  bool head = false;
};

/// Layout of layers, as even as possible. Embedding and head each count as one layer if the layers alone do not divide.
/// A remainder goes to the middle, so that the first and the last chunk, with embedding and head, get fewer layers.
class StageLayout {
 public:
  StageLayout(std::int64_t layers, int stages, int chunks_per_stage);
  /// @param layers  layers of each chunk along the model; as many chunks as a multiple of the stages
  StageLayout(const std::vector<int>& layers, int stages);
  /// Layout with a copy of each stage's only chunk on its mirror stage, as that stage's second chunk.
  StageLayout mirrored() const;

  int stages() const { return stages_; }
  int chunks() const { return chunks_; }  ///< chunks per stage
  const ChunkContents& at(int stage, int chunk) const {
    return contents_[static_cast<std::size_t>(chunk) * static_cast<std::size_t>(stages_) +
                     static_cast<std::size_t>(stage)];
  }
  int layers_on(int stage) const;
  int most_layers() const;  ///< most layers of any stage
  bool is_mirrored() const { return mirrored_; }
  bool holds_embedding(int stage) const { return holds(stage, &ChunkContents::embedding); }
  bool holds_head(int stage) const { return holds(stage, &ChunkContents::head); }
  /// Layers of the stage in the chunks before `chunk`.
  int layers_before(int stage, int chunk) const;

 private:
  void number_layers();
  bool holds(int stage, bool ChunkContents::*what) const;

  int stages_;
  int chunks_;
  bool mirrored_ = false;
  std::vector<ChunkContents> contents_;
};

/// Layout of a model's layers under a plan.
StageLayout stage_layout(std::int64_t layers, const Plan& plan);

/// Whether layers divide into `parts` equal parts, alone or with embedding and head counted as one layer each.
bool splits_evenly(std::int64_t layers, int parts);

}  // namespace clusterwright
