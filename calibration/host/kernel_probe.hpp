// SPDX-License-Identifier: Apache-2.0
/// Kernels of a training step between its GEMMs, on this host.
#pragma once

#include <vector>

#include "calibration/host/host_probes.hpp"
#include "calibration/host/probe_case.hpp"

namespace clusterwright {

/// Kernels of a training step between its GEMMs, fp32, one thread: those of calibration/host/kernels. Bytes are those
/// of all arrays once.
std::vector<PlannedCase> plan_kernels(const HostProbeSizes& sizes);

}  // namespace clusterwright
