// SPDX-License-Identifier: Apache-2.0
/// This host as an accelerator of a catalog, so that the same models predict its work.
#pragma once

#include <cstdint>

#include "calibration/sample_files/probe_samples.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Accelerator whose data sheet is the best of its own probes: fp32 rate of the largest GEMMs, bandwidth of streams
/// beyond the cache. It has one multiprocessor, since a team of threads works as one.
/// @param samples  samples of one thread count
/// @throws ConfigError E0340 if they hold no fp32 GEMMs or no streams beyond the cache
AcceleratorPart host_part(const ProbeSamples& samples);

}  // namespace clusterwright
