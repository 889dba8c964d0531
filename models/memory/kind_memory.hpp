// SPDX-License-Identifier: Apache-2.0
/// Memory of the fullest rank on each kind of nodes, beside the capacity of its accelerator.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/memory/memory_use.hpp"
#include "models/plan/plan.hpp"

namespace clusterwright {

struct KindMemory {
  int kind = 0;
  MemoryUse use;   ///< of the fullest stage that has ranks on nodes of the kind
  Bytes capacity;  ///< of one accelerator of the kind
  double fullness() const { return use.total() / capacity; }
  bool fits() const { return use.total() <= capacity; }
};

/// One for each kind of nodes.
std::vector<KindMemory> memory_by_kind(const Scenario& scenario, const Plan& plan);

/// The kind whose ranks are fullest for their capacity; the first of several.
KindMemory fullest_memory(const Scenario& scenario, const Plan& plan);

}  // namespace clusterwright
