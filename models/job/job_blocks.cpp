// SPDX-License-Identifier: Apache-2.0
#include "models/job/job_blocks.hpp"

namespace clusterwright {

namespace {

/// Ranks that split each expert: as resolve_plan decides them.
int expert_tensor(const Transformer& model, const ParallelSpec& parallel, int accelerators) {
  if (parallel.expert_tensor) return *parallel.expert_tensor;
  const int tensor = parallel.tensor.value_or(1), stage = accelerators / parallel.pipeline.value_or(1);
  const bool whole = stage % (*parallel.expert * tensor) == 0 && model.experts->ffn % tensor == 0;
  return whole ? tensor : 1;
}

}  // namespace

BlockRequest block_request(const Transformer& model, const Job& job, int accelerators) {
  BlockRequest request;
  request.used = job.accelerators_per_domain;
  request.placement = job.placement;
  if (job.parallel.tensor) request.groups.push_back(*job.parallel.tensor);
  if (model.experts && job.parallel.expert)
    request.groups.push_back(*job.parallel.expert * expert_tensor(model, job.parallel, accelerators));
  return request;
}

Cluster cluster_of_size(const Scenario& scenario, int accelerators) {
  return resized(scenario.cluster, accelerators, block_request(scenario.transformer, scenario.job, accelerators));
}

}  // namespace clusterwright
