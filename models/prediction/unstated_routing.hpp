// SPDX-License-Identifier: Apache-2.0
/// What a step would take if a fabric that does not state its routing hashed its flows.
#pragma once

#include <optional>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Whether the fabric leaves its routing open although flows of the job have several paths: a fat tree of which the job
/// fills more than the lowest groups.
bool routing_is_open(const Cluster& cluster);

/// Step time with static paths that each flow draws by a hash; nothing unless routing_is_open().
std::optional<Seconds> hashed_step(const Scenario& scenario, const Plan& plan);

}  // namespace clusterwright
