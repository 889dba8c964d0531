// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/place_key.hpp"

#include "models/lowering/rank_classes.hpp"

namespace clusterwright {

std::vector<int> places_of(const Placement& placement) {
  const Plan& plan = placement.plan();
  return {plan.tensor,
          plan.pipeline,
          plan.context,
          plan.data,
          plan.expert,
          plan.expert_tensor,
          plan.shard_group,
          static_cast<int>(plan.in_groups()),
          static_cast<int>(plan.rank_order),
          placement.blocks().used};
}

std::vector<int> classes_of(const RankClasses& classes, const Placement& placement) {
  std::vector<int> key = places_of(placement);
  key.push_back(classes.tensor_ranks_together());
  const Plan& plan = placement.plan();
  for (int d = 0; d < plan.gradient_ranks(); ++d)
    for (int p = 0; p < plan.pipeline; ++p)
      for (int t = 0; t < plan.tensor; t += classes.tensor_ranks_together())
        key.push_back(static_cast<int>(classes.slice_of(RankCoordinates{t, d, p}).value));
  return key;
}

}  // namespace clusterwright
