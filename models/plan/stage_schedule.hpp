// SPDX-License-Identifier: Apache-2.0
/// Order in which a pipeline stage executes its micro-batches, for each kind of schedule.
#pragma once

#include <cstdint>
#include <vector>

#include "models/plan/plan.hpp"

namespace clusterwright {

/// Part of a backward pass that a slot computes: all, or gradients by inputs now and those by weights in a later slot.
enum class BackwardPart { whole, input, weight };

/// Forward or backward pass of one micro-batch on one chunk.
struct PipelineSlot {
  bool forward = true;
  int chunk = 0;  ///< chunk of this stage
  int micro_batch = 0;
  BackwardPart part = BackwardPart::whole;
  bool with_next = false;  ///< this forward pass and the backward pass behind it run side by side
};

/// Micro-batches that visit one chunk before the next: the smallest number from `stages` on that leaves no last group
/// shorter than `stages`.
/// @return 0 if there are fewer micro-batches than stages: no interleaved schedule exists
int interleaving_group(int stages, int micro_batches);

/// Schedule of one forward, one backward (1F1B); interleaved over `chunks` model chunks per stage when chunks > 1.
///
/// Warm-up: min(total, stages - stage - 1) forwards, or min(total, 2 (stages - stage - 1) + (chunks - 1) group) when
/// interleaved, where micro-batches go through the chunks in groups of `group` and perhaps a shorter last one, none of
/// them smaller than the stages (ignored if chunks == 1). In pairs a forward pass runs beside the backward pass of an
/// earlier micro-batch, of which it needs nothing: 2 (stages - stage - 1) + (chunks - 1) group + 1, as messages of both
/// passes then travel once a pair.
/// @source Narayanan et al. 2021 (Efficient Large-Scale Language Model Training on GPU Clusters), section 2.2
std::vector<PipelineSlot> interleaved_schedule(int stage, int stages, int chunks, int micro_batches, int group,
                                               bool pairs = false);

/// Schedule ZB-H1: 1F1B whose stage s defers the weight part of s micro-batches into the bubble at its end. No more
/// micro-batches are in flight than on the first stage of 1F1B.
///
/// A step of P equal stages loses (P-1)(F + B - 2W) to bubbles: F is a forward pass, B the whole backward pass, W its
/// weight part, W <= F and W <= B - W.
/// @source Qi et al. 2023 (Zero Bubble Pipeline Parallelism), section 2.3
std::vector<PipelineSlot> zero_bubble_schedule(int stage, int stages, int micro_batches);

/// Schedule DualPipe: half of the micro-batches enters at each end. Chunk 0 of a stage is its own part of the model,
/// chunk 1 that of its mirror stage, stages - 1 - stage; the micro-batches of chunk 1 count from micro_batches / 2 on.
///
/// Between warm-up and drain a forward pass of one direction runs beside a backward pass of the other. A step of P
/// equal stages loses (P/2-1)(F&B + B - 3W) to bubbles, F&B being such a pair. P + 1 chunks are in flight.
/// @pre stages are even, micro_batches even and at least 2 stages
/// @source DeepSeek-AI 2024 (DeepSeek-V3 Technical Report), section 3.2.1 and its open-source schedule
std::vector<PipelineSlot> dualpipe_schedule(int stage, int stages, int micro_batches);

/// Slots of one stage in a step of `plan`, in order.
std::vector<PipelineSlot> stage_schedule(const Plan& plan, int stage);

/// First and last micro-batch that pass through a chunk: of all, or of one direction of DualPipe.
struct MicroBatchRange {
  int first = 0, last = 0;
};
MicroBatchRange micro_batches_of(const Plan& plan, int chunk);

}  // namespace clusterwright
