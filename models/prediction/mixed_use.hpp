// SPDX-License-Identifier: Apache-2.0
/// A step on nodes of several kinds: what each kind does, which one the step waits for, and what that costs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "models/settling/step_simulation.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Ranks on nodes of one kind.
struct KindUse {
  std::string name;  ///< kind_name()
  int accelerators = 0;
  Bytes memory;    ///< of the fullest rank of the kind
  Bytes capacity;  ///< of one accelerator
  Seconds busy;    ///< time in kernels, mean over the ranks of the kind
  Seconds alone;   ///< the same step on a machine of the same size with nodes of this kind only
};

struct MixedUse {
  std::vector<KindUse> kinds;
  std::size_t waited_for = 0;  ///< the kind whose ranks are longest in kernels
  std::size_t fastest = 0;     ///< the kind with the shortest step alone
  Seconds loss;                ///< step time beyond that of the fastest kind alone; at least zero
};

/// Replays the step on a machine of each kind; absent where all nodes are alike.
std::optional<MixedUse> mixed_use(const Scenario& scenario, const Plan& plan, const StepTime& step);

/// Sentence on the kinds, the one that is waited for and its cost.
std::string mixed_sentence(const MixedUse& use, Seconds step);

}  // namespace clusterwright
