// SPDX-License-Identifier: Apache-2.0
/// The schedule that a plan asks for.
#pragma once

#include <vector>

#include "models/plan/interleaved_schedule.hpp"
#include "models/plan/plan.hpp"

namespace clusterwright {

/// What one stage does in a step of `plan`, in order.
std::vector<PipelineSlot> stage_schedule(const Plan& plan, int stage);

/// First and last of the micro-batches that pass through a chunk: all, or those of one direction of DualPipe.
struct MicroBatchRange {
  int first = 0, last = 0;
};
MicroBatchRange micro_batches_of(const Plan& plan, int chunk);

}  // namespace clusterwright
