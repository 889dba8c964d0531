// SPDX-License-Identifier: Apache-2.0
/// Findings about GPUs.
#pragma once

#include <vector>

#include "tools/doctor/finding.hpp"

namespace clusterwright {

std::vector<Finding> gpu_findings(const DoctorFacts& facts);

}  // namespace clusterwright
