// SPDX-License-Identifier: Apache-2.0
/// Nodes and racks by the rank classes that they hold.
#pragma once

#include <vector>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"

namespace clusterwright {

/// Nodes, or racks, that hold equally many ranks of each class.
struct RankGroup {
  std::vector<int> ranks;  ///< number of ranks by class
  int nodes = 0;           ///< nodes in one
  int count = 0;           ///< number of such nodes or racks
};

struct RankGroups {
  std::vector<int> classes;  ///< ranks of each class in the whole job
  std::vector<RankGroup> nodes, racks;
};

/// Racks are filled with nodes in their order. @param nodes_per_rack  at least 1
RankGroups rank_groups(const Scenario& scenario, const Plan& plan, int nodes_per_rack);

}  // namespace clusterwright
