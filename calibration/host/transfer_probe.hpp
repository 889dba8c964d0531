// SPDX-License-Identifier: Apache-2.0
/// Messages between two processes.
#pragma once

#include <vector>

#include "calibration/host/host_probe_sizes.hpp"
#include "calibration/host/probe_case.hpp"

namespace clusterwright {

/// Messages to a forked process by TCP over 127.0.0.1 and by a pipe. Time and bytes are of one message, one way.
std::vector<PlannedCase> plan_transfer(const HostProbeSizes& sizes);

}  // namespace clusterwright
