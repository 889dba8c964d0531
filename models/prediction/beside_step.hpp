// SPDX-License-Identifier: Apache-2.0
/// Two jobs on one machine: how much the traffic of each holds up the other.
///
/// Each job keeps its nodes; they meet on the links of the network. Both repeat their steps in one replay, so that
/// bursts of one meet bursts of the other as they come, and what one loses moves its next steps. How steps fall
/// together depends on when they begin, so the replay is repeated from several starts. Clocks stay those of each job
/// alone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "sim/quantity.hpp"
#include "topology/graph/network_graph.hpp"

namespace clusterwright {

/// Step time of a job beside another one.
struct BesideTime {
  Seconds alone;
  std::vector<Seconds> beside;  ///< by start of the other job: mean over the steps that were replayed

  Seconds mean() const;
  /// Step time over that of the job alone.
  double factor() const { return mean() / alone; }
};

struct BesideStep {
  int machine_nodes = 0;
  int nodes = 0, other_nodes = 0;
  BesideTime own, other;
  std::size_t steps = 0;             ///< of each job and start that count, or more of the shorter one
  std::vector<std::string> meet_on;  ///< links that both use and could fill together, as far as they differ in load
};

/// Puts both jobs on one machine with the cluster of the first: it keeps its placement, the other one fills free nodes
/// in their order. The machine has the nodes that the placement of the first states, or those of both jobs.
/// @throws ConfigError E0339 if the cluster has no network, E0335 if the jobs do not fit the machine or its
/// accelerators are others than those that the second job is described on
void share_machine(Scenario& own, Scenario& other);

/// @pre share_machine
/// @throws ConfigError E0502 if the replay would take too long
BesideStep replay_beside(const Scenario& own, const Plan& plan, const Scenario& other, const Plan& other_plan);

}  // namespace clusterwright
