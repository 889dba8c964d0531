// SPDX-License-Identifier: Apache-2.0
/// Limits of the model for jobs on nodes of several kinds.
#pragma once

#include <string_view>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/plan/store_check.hpp"

namespace clusterwright {

/// E0324 where kinds have domains of different sizes or share one, where the job asks for a part of each domain or for
/// a placement; E0328 for rates of a kind's host. Empty where all nodes are alike.
std::vector<Contradiction> check_mixed_nodes(const Scenario& scenario);

/// Refuses what is computed for nodes of one kind only. @param what  "a search", with a capital if it begins a sentence
/// @throws ConfigError E0324 on nodes of several kinds
void refuse_several_kinds(const Scenario& scenario, std::string_view what);

}  // namespace clusterwright
