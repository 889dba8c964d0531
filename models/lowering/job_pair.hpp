// SPDX-License-Identifier: Apache-2.0
/// Two jobs on one network, lowered so that they meet on the links that both together can fill.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/lowering/lowered_step.hpp"
#include "models/plan/plan.hpp"
#include "sim/joined_steps.hpp"
#include "topology/graph/network_graph.hpp"

namespace clusterwright {

/// A job and the nodes that it has: its placement is in the machine of both.
struct PlacedJob {
  const Scenario& scenario;
  const Plan& plan;
};

class JobPair {
 public:
  /// @pre both clusters have the same network: same fabric, same machine, no node in both placements
  /// @throws ConfigError E0320 where a pair of ranks has no path left, E0502 as LoweredStep
  JobPair(const PlacedJob& first, const PlacedJob& second);

  const LoweredStep& first() const { return first_; }
  const LoweredStep& second() const { return second_; }
  /// Links that both jobs use and that both together can fill.
  std::vector<LinkId> common_links() const;
  /// One graph of both steps. @param timings  of the steps, such as with settled clocks
  JoinedSteps joined(const StepTiming& first, const StepTiming& second) const;

 private:
  LoweredStep first_, second_;
};

}  // namespace clusterwright
