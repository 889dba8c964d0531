// SPDX-License-Identifier: Apache-2.0
/// Largest cluster that a grid connection feeds.
///
/// The site draws most on the design day with everything at its nameplate and accelerators at their power limits, and
/// that may not exceed what the grid grants. Switches, racks and coolant units come in steps, so the count is searched:
/// from the power of one size follows the next one, and whole replicas, groups of experts and nodes close the gap by
/// halves. Sizes that the fabric cannot join count as not fed, and a warning says so.
///
/// Example: 1,024 accelerators take 1.5 MW. 20 MW feed about 13,653; with 8 nodes of 8 to a replica, 13,632 are tried
/// next, which take 20.1 MW for one tier of switches more, then 13,568.
#pragma once

#include <functional>

#include "models/job/scenario.hpp"
#include "models/site/sizing/sized_cluster.hpp"

namespace clusterwright {

/// Sized cluster of a scenario, with its step. @throws ConfigError
using SizeJob = std::function<SizedCluster(const Scenario&)>;

/// Least step of the size that keeps whole replicas, whole groups of experts and whole nodes, in accelerators.
int step_of_size(const Plan& plan, const Cluster& cluster);

/// Cluster of the most replicas that the grid feeds, in the steps above; each has as large a share of the batch as in
/// the scenario.
/// @param scenario  the job, at any size, on nodes of one kind
/// @param replan    searches the layout anew at the final size; else degrees stay those of the scenario's own size
/// @throws ConfigError E0306 where not even one replica can be fed, and as `size`
SizedCluster fill_site(const Scenario& scenario, Watts grid, bool replan, const SizeJob& size);

}  // namespace clusterwright
