// SPDX-License-Identifier: Apache-2.0
/// Time that a step loses because flows between nodes differ by chance (FabricSpec::tail).
///
/// A collective ends with the slowest flow of all that wait for each other: N of them take FlowTail::slowest(N) times
/// the mean of one. How slow that is changes from one collective to the next. The step is therefore replayed with all
/// its collectives in one part of that distribution after another: the faster half, up to 90, 99 and 99.9 %, and the
/// rest. The loss is the mean over the parts, by their shares, less the step whose flows all take the mean. Collectives
/// that hide behind computation cost time in the worst parts alone. This is exact where each costs time of its own;
/// checked against steps whose collectives have drawn times: tests/models/slow_flows_test.cpp.
#pragma once

#include <functional>

#include "models/job/scenario.hpp"
#include "sim/sim_time.hpp"

namespace clusterwright {

/// @param alike   end of the step whose flows all take the mean
/// @param end_of  end of the same step under another scenario
/// @return 0 where the fabric states no tail, or nothing joins nodes
Picoseconds lost_to_slow_flows(const Scenario& scenario, Picoseconds alike,
                               const std::function<Picoseconds(const Scenario&)>& end_of);

}  // namespace clusterwright
