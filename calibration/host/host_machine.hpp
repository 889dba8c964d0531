#pragma once

#include <string>
#include <string_view>

#include "calibration/sample_files/probe_samples.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

struct HostMachine {
  ProbeDevice device;
  Bytes available;  ///< memory that a probe may hope for; zero: not known
};

/// This machine, from /proc, sysconf and the scheduler; without host and user name.
HostMachine find_host_machine();

/// First "model name" of /proc/cpuinfo; "unknown" where it has none, as on many ARM machines.
std::string cpu_model(std::string_view cpuinfo);

/// Different (physical id, core id) pairs of /proc/cpuinfo; 0 where it names none.
std::int64_t physical_cores(std::string_view cpuinfo);

}  // namespace clusterwright
