// SPDX-License-Identifier: Apache-2.0
/// Wishes of a job about the accelerators of each scale-up domain.
#pragma once

#include "models/job/scenario.hpp"

namespace clusterwright {

/// Number that the job states, and the tensor and expert groups that it states: those must fill domains evenly.
/// Degrees that are "auto" follow the blocks, not the other way round, so they never need another rack.
BlockRequest block_request(const Transformer& model, const Job& job, int accelerators);

/// Cluster of a scenario with another number of accelerators, in the blocks that the job needs there.
/// @throws ConfigError as build_cluster, without places
Cluster cluster_of_size(const Scenario& scenario, int accelerators);

}  // namespace clusterwright
