// SPDX-License-Identifier: Apache-2.0
/// Activations of one rank class that wait for their backward pass outside the device.
#pragma once

#include <array>
#include <map>

#include "models/lowering/level_copies.hpp"
#include "models/plan/planned_job.hpp"
#include "models/plan/stage_schedule.hpp"

namespace clusterwright {

/// Does nothing where activations stay on the device.
class ActivationCopies {
 public:
  /// @param planned  must outlive it
  ActivationCopies(RankOps& ops, LevelCopies& copies, const PlannedJob& planned, int stage);

  /// Sends the activations of a layer away behind its forward pass.
  void store(const PipelineSlot& slot, int layer);
  /// Brings them back while the layer behind it runs its backward pass; the next kernel waits for them.
  void fetch(const PipelineSlot& slot, int layer);

 private:
  /// Bytes of one layer of the chunk, by its kind and whether it is recomputed.
  Bytes payload(int chunk, int layer) const;

  RankOps& ops_;
  LevelCopies& copies_;
  const PlannedJob& planned_;
  int stage_;
  MemoryLevel level_;
  std::map<std::array<int, 3>, OpId> stored_;  // copies, by micro-batch, chunk and layer
  OpId before_fetch_;                          // last kernel before the layer whose activations came last
};

}  // namespace clusterwright
