// SPDX-License-Identifier: Apache-2.0
/// Layout of a job held against the layouts of its stack.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "models/job/scenario.hpp"

namespace clusterwright::testing {

template <class T>
bool lists(const std::vector<T>& all, T one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// Fields that a job states and that its stack cannot run; empty if it can run all.
inline std::vector<std::string> beyond_stack(const Job& job, const StackLayouts& layouts) {
  const ParallelSpec& p = job.parallel;
  std::vector<std::string> out;
  const auto need = [&](bool can, const char* field) {
    if (!can) out.emplace_back(field);
  };
  const auto need_offload = [&](MemoryLevel level, OffloadedTensors tensors, const char* field) {
    need(level == MemoryLevel::device || lists(layouts.offload, tensors), field);
  };
  if (p.pipeline.value_or(1) > 1) {
    need(lists(layouts.schedules, p.schedule), "schedule");
    need(p.virtual_pipeline.value_or(1) == 1 || layouts.interleaves, "virtual_pipeline");
  }
  need(lists(layouts.shardings, *job.sharding), "sharding");
  need(p.context.value_or(1) == 1 || layouts.context, "context");
  need(!p.expert_tensor || p.expert_tensor == p.tensor || layouts.expert_tensor, "expert_tensor");
  need(!job.recomputed_layers || layouts.partial_recompute, "recomputed_layers");
  need_offload(job.offload.weights, OffloadedTensors::weights, "offload.weights");
  need_offload(job.offload.optimizer, OffloadedTensors::optimizer, "offload.optimizer");
  need_offload(job.offload.activations, OffloadedTensors::activations, "offload.activations");
  const bool apart = p.pipeline.value_or(1) == 1 && job.recompute.value_or(Recompute::none) == Recompute::none;
  need(job.offload.activations == MemoryLevel::device || apart || !layouts.activation_offload_alone,
       "offload.activations beside stages or recomputation");
  return out;
}

}  // namespace clusterwright::testing
