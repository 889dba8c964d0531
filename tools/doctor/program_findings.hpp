// SPDX-License-Identifier: Apache-2.0
/// Findings about the program and the host it runs on.
#pragma once

#include <vector>

#include "tools/doctor/finding.hpp"

namespace clusterwright {

std::vector<Finding> program_findings(const DoctorFacts& facts);
std::vector<Finding> host_findings(const DoctorFacts& facts);

}  // namespace clusterwright
