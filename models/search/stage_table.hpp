// SPDX-License-Identifier: Apache-2.0
/// Stages of a pipeline with what each holds, and which of them hold the same.
#pragma once

#include <vector>

#include "models/job/transformer.hpp"
#include "models/plan/stage_layout.hpp"

namespace clusterwright {

/// Chunk of a stage, by kinds of layers.
struct ChunkShape {
  int layers = 0;
  int expert_layers = 0;
  int phase = 0;  ///< place of its first layer in the pattern of layers with experts
  bool embedding = false;
  bool head = false;
  int dense_layers() const { return layers - expert_layers; }
  bool operator==(const ChunkShape&) const = default;
};

class StageTable {
 public:
  /// @param plan  whose stages, chunks and schedule count
  StageTable(const Transformer& model, const Plan& plan);

  int stages() const { return layout_.stages(); }
  int chunks() const { return layout_.chunks(); }
  const StageLayout& layout() const { return layout_; }
  const ChunkShape& at(int stage, int chunk) const {
    return shapes_[static_cast<std::size_t>(chunk * stages() + stage)];
  }

  /// Stages of one class hold the same in all their chunks.
  int classes() const { return static_cast<int>(first_.size()); }
  int class_of(int stage) const { return class_[static_cast<std::size_t>(stage)]; }
  int first_of(int stage_class) const { return first_[static_cast<std::size_t>(stage_class)]; }

 private:
  bool alike(int a, int b) const;

  StageLayout layout_;
  std::vector<ChunkShape> shapes_;
  std::vector<int> class_;  // by stage
  std::vector<int> first_;  // stage, by class
};

}  // namespace clusterwright
