// SPDX-License-Identifier: Apache-2.0
/// What a step or a collective would take if a fabric that does not state its routing hashed its flows.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Whether the fabric leaves its routing open although flows of the job have several paths: a fat tree of which the job
/// fills more than the lowest groups.
bool routing_is_open(const Cluster& cluster);

/// The same cluster with static paths that each flow draws by a hash; nothing unless routing_is_open().
std::optional<Cluster> hashed_cluster(const Cluster& cluster);

/// Upper bound of an interval that includes hashing: the two causes add up in squares of their logarithms.
Seconds high_with_hashing(Seconds time, Seconds high, Seconds hashed);

/// "the fabric does not state its routing: ..."; empty where hashing changes less than half a percent.
/// @param what  that takes the time: "a step"
std::string routing_sentence(const Cluster& cluster, std::string_view what, Seconds time, Seconds hashed);

/// Step time with static paths that each flow draws by a hash; nothing unless routing_is_open().
std::optional<Seconds> hashed_step(const Scenario& scenario, const Plan& plan);

}  // namespace clusterwright
