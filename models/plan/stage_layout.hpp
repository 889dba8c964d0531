// SPDX-License-Identifier: Apache-2.0
/// Which layers sit on which pipeline stage.
#pragma once

#include <cstdint>
#include <vector>

#include "models/plan/plan.hpp"

namespace clusterwright {

/// What one chunk of one stage holds. Chunk c of stage s is number c * stages + s along the model.
struct ChunkContents {
  int layers = 0;
  int first_layer = 0;  ///< of the model
  bool embedding = false;
  bool head = false;
};

/// Layers as evenly as they go. Embedding and head each take the place of one layer where the layers alone do not
/// divide; a remainder goes to the middle, so that the first and the last chunk, which hold embedding and head, stay
/// light.
class StageLayout {
 public:
  StageLayout(std::int64_t layers, int stages, int chunks_per_stage);
  /// @param layers  of each chunk along the model, a multiple of the stages
  StageLayout(const std::vector<int>& layers, int stages);
  /// The same with a copy of each stage's only chunk on its mirror stage, as its second chunk.
  StageLayout mirrored() const;

  int stages() const { return stages_; }
  int chunks() const { return chunks_; }  ///< per stage
  const ChunkContents& at(int stage, int chunk) const {
    return contents_[static_cast<std::size_t>(chunk) * static_cast<std::size_t>(stages_) +
                     static_cast<std::size_t>(stage)];
  }
  int layers_on(int stage) const;
  int most_layers() const;  ///< on one stage
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

/// Where a plan puts the layers of a model.
StageLayout stage_layout(std::int64_t layers, const Plan& plan);

/// Whether `parts` equal parts are possible, with embedding and head counted as a layer each if need be.
bool splits_evenly(std::int64_t layers, int parts);

}  // namespace clusterwright
