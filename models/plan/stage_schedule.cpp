// SPDX-License-Identifier: Apache-2.0
#include "models/plan/stage_schedule.hpp"

#include "models/plan/plan.hpp"
#include "models/plan/split_schedules.hpp"

namespace clusterwright {

std::vector<PipelineSlot> stage_schedule(const Plan& plan, int stage) {
  switch (plan.schedule) {
    case PipelineSchedule::zero_bubble:
      return zero_bubble_schedule(stage, plan.pipeline, plan.micro_batches);
    case PipelineSchedule::dualpipe:
      return dualpipe_schedule(stage, plan.pipeline, plan.micro_batches);
    case PipelineSchedule::one_forward_one_backward:
      break;
  }
  return interleaved_schedule(stage, plan.pipeline, plan.virtual_pipeline, plan.micro_batches,
                              plan.interleaving_group(), plan.paired);
}

MicroBatchRange micro_batches_of(const Plan& plan, int chunk) {
  if (plan.schedule != PipelineSchedule::dualpipe) return {0, plan.micro_batches - 1};
  const int half = plan.micro_batches / 2;
  return {chunk * half, chunk * half + half - 1};
}

}  // namespace clusterwright
