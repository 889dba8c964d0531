// SPDX-License-Identifier: Apache-2.0
/// Groups of ranks that meet, told by the rank classes in them.
#pragma once

#include <vector>

#include "models/lowering/rank_classes.hpp"
#include "models/plan/placement.hpp"

namespace clusterwright {

/// Groups around a rank class. A group is named by the slice of its first rank, that is by the first class of this; so
/// rings of the ranks of one slice share a name and all they do.
class ClassGroups {
 public:
  ClassGroups(const Placement& placement, const RankClasses& classes) : placement_(placement), classes_(classes) {}

  RankClassId tensor_group(RankClassId c) const;
  RankClassId replica_group(ReplicaGroup kind, RankClassId c) const;
  /// Every class with a rank in a group of the name of that which holds class `c`.
  std::vector<RankClassId> members(ReplicaGroup kind, RankClassId c) const;
  /// Slice that differs from that of `c` in nothing but its pipeline stage.
  RankClassId on_stage(RankClassId c, int stage) const;
  /// Slice that pipeline messages of `c` go to. The last stage sends to the first, for interleaved schedules.
  RankClassId receiver(Stream stream, RankClassId c) const;
  /// Slice whose pipeline messages `c` receives.
  RankClassId sender(Stream stream, RankClassId c) const;

 private:
  RankClassId neighbour(RankClassId c, int step) const;
  RankClassId name_of(ReplicaGroup kind, const RankCoordinates& at) const;

  const Placement& placement_;
  const RankClasses& classes_;
};

}  // namespace clusterwright
