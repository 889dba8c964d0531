/// Streams through the memory of this host.
#pragma once

#include <vector>

#include "calibration/host/host_probe_sizes.hpp"
#include "calibration/host/probe_case.hpp"

namespace clusterwright {

/// copy (memcpy), add (a = b + c), triad (a = b + 3 c) and read on doubles. Bytes are those of all arrays once; lines
/// that a store fetches first are not counted. Threads work on the stretch of memory that they touched first.
std::vector<PlannedCase> plan_memory(const HostProbeSizes& sizes);

}  // namespace clusterwright
