// SPDX-License-Identifier: Apache-2.0
/// Ways on for a job that lost nodes.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "topology/nodes/node_id.hpp"

namespace clusterwright {

/// Restart of a job, at the same size on spare nodes or without the replicas that do not find ranks any more.
struct WayOn {
  bool spares = false;     ///< on spare nodes, else with fewer replicas
  int spare_nodes = 0;     ///< nodes that the job needs beyond those that are left
  int machine_spares = 0;  ///< nodes of the machine that could replace them
  int replicas = 0;        ///< data-parallel replicas that run
  int accelerators = 0;
  int global_batch = 0;              ///< sequences per step, those of a replica unchanged
  std::optional<Seconds> step_time;  ///< absent where the way is not possible
  std::string reason;                ///< why it is not possible; empty if it is
};

/// What is left of a cluster, and the job that ran on it.
struct LostNodes {
  const Scenario& scenario;  ///< before the failure, laid out as the plan says
  const Plan& plan;
  Seconds step_time;                ///< of the scenario
  std::set<NodeId> nodes;           ///< nodes of the machine that are lost, at least one of the job
  std::vector<std::string> faults;  ///< network faults that came with the loss
};

/// Scenario with every field of its layout decided.
Scenario laid_out(const Scenario& scenario, const Plan& plan);

/// Step time of a plan, settled with its loader.
Seconds settled_time(const Scenario& scenario, Plan plan);

/// The cluster of a scenario with further faults of its network. @throws ConfigError E0321
Cluster with_faults(const Scenario& scenario, const std::vector<std::string>& faults);

/// Restart on as many spare nodes as the job lost. Where domains are nodes, spares of the machine take the places of
/// the lost nodes one by one. Where the machine has too few, and where domains hold several nodes, the time is that
/// before the failure.
WayOn on_spares(const LostNodes& lost);

/// Restart of the largest number of replicas that the nodes that are left can run, with the batch of a replica
/// unchanged. Where domains hold several nodes, the lost ones count as the last ones of the job, and the network as
/// whole.
WayOn with_fewer_replicas(const LostNodes& lost);

}  // namespace clusterwright
