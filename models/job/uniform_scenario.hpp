// SPDX-License-Identifier: Apache-2.0
/// A job on nodes of several kinds as each kind sees it.
#pragma once

#include <vector>

#include "models/job/scenario.hpp"

namespace clusterwright {

/// The same job on a machine of the same size and network with nodes of one kind only (uniform_cluster), with the
/// fitted parameters of that kind. It names no places in files and no input files.
/// @throws std::invalid_argument for a kind that the cluster does not have, or that has no parameters
Scenario uniform_scenario(const Scenario& scenario, int kind);

/// One scenario for each kind of nodes.
std::vector<Scenario> uniform_scenarios(const Scenario& scenario);

}  // namespace clusterwright
