// SPDX-License-Identifier: Apache-2.0
/// Schedules that compute gradients by weights apart from those by inputs, which the stage before waits for.
#pragma once

#include <vector>

#include "models/plan/interleaved_schedule.hpp"

namespace clusterwright {

/// ZB-H1: 1F1B whose stage s puts the weight part of s micro-batches off, into the bubble at its end. No more
/// micro-batches are in flight than on the first stage of 1F1B.
///
/// Of a step of equal stages, (P-1)(F + B - 2W) are lost, B being the whole backward pass, W <= F and W <= B - W.
/// @source Qi et al. 2023 (Zero Bubble Pipeline Parallelism), section 2.3
std::vector<PipelineSlot> zero_bubble_schedule(int stage, int stages, int micro_batches);

/// DualPipe: half of the micro-batches enters at each end. Chunk 0 of a stage is its own part of the model, chunk 1
/// that of its mirror stage, stages - 1 - stage; the micro-batches of chunk 1 count from micro_batches / 2 on.
///
/// Between warm-up and drain a forward pass of one direction runs beside a backward pass of the other. Of a step of
/// equal stages, (P/2-1)(F&B + B - 3W) are lost, F&B being such a pair. P + 1 chunks are in flight.
/// @pre stages are even, micro_batches even and at least 2 stages
/// @source DeepSeek-AI 2024 (DeepSeek-V3 Technical Report), section 3.2.1 and its open-source schedule
std::vector<PipelineSlot> dualpipe_schedule(int stage, int stages, int micro_batches);

}  // namespace clusterwright
