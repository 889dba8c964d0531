// SPDX-License-Identifier: Apache-2.0
/// Placement that the command line gives.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "sim/json_value.hpp"

namespace clusterwright {

/// Sets job.placement of a scenario. @param placement  "packed", "scattered", "shuffled" or a file with the numbers of
/// nodes in rank order, separated by anything of "[], " and ends of lines; empty: nothing is set
/// @throws ConfigError E0335 for a file with something else in it or without numbers, E0401 for none
void set_placement(JsonValue& scenario, const std::string& placement, std::vector<InputFile>& inputs);

}  // namespace clusterwright
