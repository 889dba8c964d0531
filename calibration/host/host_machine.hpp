// SPDX-License-Identifier: Apache-2.0
/// This machine as a device of samples, and as an accelerator that the same models predict.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "calibration/sample_files/probe_samples.hpp"
#include "sim/quantity.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

struct HostMachine {
  ProbeDevice device;
  Bytes available;  ///< memory that a probe may use; zero: not known
};

/// This machine, from /proc, sysconf and the scheduler; without host and user name.
HostMachine find_host_machine();

/// First "model name" in /proc/cpuinfo; "unknown" where it has none, as on many ARM machines.
std::string cpu_model(std::string_view cpuinfo);

/// Number of different (physical id, core id) pairs in /proc/cpuinfo; 0 where it names none.
std::int64_t physical_cores(std::string_view cpuinfo);

/// Accelerator whose data sheet is the best of its own probes: fp32 rate of the largest GEMMs, bandwidth of streams
/// beyond the cache. It has one multiprocessor, since a team of threads works as one.
/// @param samples  samples of one thread count
/// @throws ConfigError E0340 if they hold no fp32 GEMMs or no streams beyond the cache
AcceleratorPart host_part(const ProbeSamples& samples);

}  // namespace clusterwright
