/// This host as if it were an accelerator of a catalog, so that the same models price its work.
#pragma once

#include <cstdint>

#include "calibration/sample_files/probe_samples.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// The best that its own probes reached stands for the data sheet that a processor lacks: fp32 rate of its largest
/// multiplies, bandwidth of its streams beyond the cache. One multiprocessor: a team
/// of threads works as one.
/// @param samples  of one thread count
/// @throws ConfigError E0340 if they hold no fp32 multiplies or no streams beyond the cache
AcceleratorPart host_part(const ProbeSamples& samples);

}  // namespace clusterwright
