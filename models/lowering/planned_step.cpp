// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/planned_step.hpp"

namespace clusterwright {

Bytes PlannedStep::activation() const {
  return 2.0 * scenario.job.sequence * plan().micro_batch * static_cast<double>(scenario.transformer.hidden) /
         plan().context * byte;
}

ExpertWork placed_expert_work(const PlannedJob& planned, const Placement& placement) {
  if (!planned.model.experts) return {};
  // Where stages share domains, groups may fill them unevenly: take the largest number that divides, as for shard
  // groups.
  int near = placement.members_in_domain(ReplicaGroup::experts);
  while (planned.plan.expert % near != 0) --near;
  return expert_work(planned, near);
}

}  // namespace clusterwright
