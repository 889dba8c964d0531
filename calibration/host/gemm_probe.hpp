// SPDX-License-Identifier: Apache-2.0
/// GEMMs on this host.
#pragma once

#include <vector>

#include "calibration/host/host_probes.hpp"
#include "calibration/host/probe_case.hpp"

namespace clusterwright {

/// GEMMs of Eigen, split over threads by columns or rows, operands in whatever cache they fit: squares, and the shapes
/// of a transformer layer (m tokens). FLOPs are 2 m n k; bytes are those of A, B and C once.
std::vector<PlannedCase> plan_gemm(const HostProbeSizes& sizes);

}  // namespace clusterwright
