// SPDX-License-Identifier: Apache-2.0
/// The order in which a pipeline stage works off micro-batches.
#pragma once

#include <cstdint>
#include <vector>

namespace clusterwright {

/// What of a backward pass a slot computes: all, or gradients by inputs now and those by weights in a later slot.
enum class BackwardPart { whole, input, weight };

struct PipelineSlot {
  bool forward = true;
  int chunk = 0;  ///< of this stage
  int micro_batch = 0;
  BackwardPart part = BackwardPart::whole;
  bool with_next = false;  ///< this forward pass and the backward pass behind it run side by side
};

/// Micro-batches that visit one chunk after the other together: the smallest divisor of all that is no smaller than the
/// stages.
/// @return 0 if there are fewer micro-batches than stages: no interleaved schedule exists
int interleaving_group(int stages, int micro_batches);

/// One forward, one backward (1F1B); interleaved over `chunks` model chunks per stage when chunks > 1.
///
/// Warm-up: min(total, stages - stage - 1) forwards, or min(total, 2 (stages - stage - 1) + (chunks - 1) group) when
/// interleaved, where micro-batches go through the chunks in groups of `group`, which divides `micro_batches` and is no
/// smaller than the stages (ignored if chunks == 1). In pairs a forward pass runs beside the backward pass of an
/// earlier micro-batch, of which it needs nothing: 2 (stages - stage - 1) + (chunks - 1) group + 1, as messages of both
/// passes then travel once a pair.
/// @source Narayanan et al. 2021 (Efficient Large-Scale Language Model Training on GPU Clusters), section 2.2
std::vector<PipelineSlot> interleaved_schedule(int stage, int stages, int chunks, int micro_batches, int group,
                                               bool pairs = false);

}  // namespace clusterwright
