// SPDX-License-Identifier: Apache-2.0
/// Findings about GPU software and the network.
#pragma once

#include <vector>

#include "tools/doctor/finding.hpp"

namespace clusterwright {

std::vector<Finding> software_findings(const DoctorFacts& facts);
std::vector<Finding> network_findings(const DoctorFacts& facts);

}  // namespace clusterwright
