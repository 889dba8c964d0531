/// Which layers sit on which pipeline stage.
#pragma once

#include <cstdint>
#include <vector>

namespace clusterwright {

/// What one chunk of one stage holds. Chunk c of stage s is number c * stages + s along the model.
struct ChunkContents {
  int layers = 0;
  bool embedding = false;
  bool head = false;
};

/// Layers as evenly as they go. Embedding and head each take the place of one layer where the layers alone do not
/// divide; a remainder goes to the middle, so that the first and the last chunk, which hold embedding and head, stay
/// light.
class StageLayout {
 public:
  StageLayout(std::int64_t layers, int stages, int chunks_per_stage);

  int stages() const { return stages_; }
  int chunks() const { return chunks_; }  ///< per stage
  const ChunkContents& at(int stage, int chunk) const {
    return contents_[static_cast<std::size_t>(chunk) * static_cast<std::size_t>(stages_) +
                     static_cast<std::size_t>(stage)];
  }
  int layers_on(int stage) const;
  /// Layers of the stage in the chunks before `chunk`.
  int layers_before(int stage, int chunk) const;

 private:
  int stages_;
  int chunks_;
  std::vector<ChunkContents> contents_;
};

/// Whether `parts` equal parts are possible, with embedding and head counted as a layer each if need be.
bool splits_evenly(std::int64_t layers, int parts);

}  // namespace clusterwright
