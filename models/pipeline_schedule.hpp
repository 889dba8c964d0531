/// The order in which a pipeline stage works off micro-batches.
#pragma once

#include <cstdint>
#include <vector>

namespace clusterwright {

struct PipelineSlot {
  bool forward = true;
  int chunk = 0;  ///< of this stage
  int micro_batch = 0;
};

/// One forward, one backward (1F1B); interleaved over `chunks` model chunks per stage when chunks > 1.
///
/// Warm-up: min(total, stages - stage - 1) forwards, or min(total, 2 (stages - stage - 1) + (chunks - 1) stages) when
/// interleaved, where micro-batches go through the chunks in groups of `stages`. Interleaving needs micro-batches in
/// multiples of the stages.
/// @source Narayanan et al. 2021 (Efficient Large-Scale Language Model Training on GPU Clusters), section 2.2
std::vector<PipelineSlot> pipeline_schedule(int stage, int stages, int chunks, int micro_batches);

}  // namespace clusterwright
