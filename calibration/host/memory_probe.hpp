// SPDX-License-Identifier: Apache-2.0
/// Streams through the memory of this host.
#pragma once

#include <vector>

#include "calibration/host/host_probes.hpp"
#include "calibration/host/probe_case.hpp"

namespace clusterwright {

/// Streams on doubles: copy (memcpy), add (a = b + c), triad (a = b + 3 c) and read. Bytes are those of all arrays
/// once, without the lines that a store fetches first. Threads work on the stretch of memory that they touched first.
std::vector<PlannedCase> plan_memory(const HostProbeSizes& sizes);

}  // namespace clusterwright
