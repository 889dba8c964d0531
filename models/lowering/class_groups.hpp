// SPDX-License-Identifier: Apache-2.0
/// Groups of ranks that meet, told by the rank classes in them.
#pragma once

#include <vector>

#include "models/lowering/rank_classes.hpp"
#include "models/plan/placement.hpp"

namespace clusterwright {

/// Groups around a rank class. The lowest class of a group is its name.
class ClassGroups {
 public:
  ClassGroups(const Placement& placement, const RankClasses& classes) : placement_(placement), classes_(classes) {}

  RankClassId tensor_group(RankClassId c) const;
  RankClassId replica_group(ReplicaGroup kind, RankClassId c) const;
  /// Every class with a rank in the group of `kind` that holds class `c`.
  std::vector<RankClassId> members(ReplicaGroup kind, RankClassId c) const;
  /// Class that differs from `c` in nothing but its pipeline stage.
  RankClassId on_stage(RankClassId c, int stage) const;
  /// Class that pipeline messages of `c` go to. The last stage sends to the first, for interleaved schedules.
  RankClassId receiver(Stream stream, RankClassId c) const;
  /// Class whose pipeline messages `c` receives.
  RankClassId sender(Stream stream, RankClassId c) const;

 private:
  RankClassId neighbour(RankClassId c, int step) const;

  const Placement& placement_;
  const RankClasses& classes_;
};

}  // namespace clusterwright
