// SPDX-License-Identifier: Apache-2.0
/// The GPUs that NVIDIA's driver knows, by its management library (NVML), which is opened while the program runs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/quantity.hpp"
#include "tools/doctor/machine_access.hpp"

namespace clusterwright {

/// Zero and empty are "not known".
struct GpuFacts {
  std::string name;  ///< "NVIDIA H200"
  Bytes memory;
  std::string compute_capability;  ///< "9.0"
  std::optional<Watts> power_limit;
  bool split = false;   ///< split into MIG slices
  std::string problem;  ///< reason without an answer; empty: it answers

  bool operator==(const GpuFacts&) const = default;
};

struct GpuSurvey {
  bool library = false;       ///< NVML is there
  std::string problem;        ///< problem of NVML as a whole; empty: none
  std::string driver;         ///< "580.95.05", of NVML
  std::string kernel_module;  ///< its version, if it is loaded
  std::size_t on_pci = 0;     ///< NVIDIA GPUs on the bus, whether a driver knows them or not
  std::vector<GpuFacts> gpus;
};

/// Opens NVML and queries it. May hang or crash with a broken driver: call it in another process.
GpuSurvey ask_nvml(const MachineAccess& machine);

/// Looks for GPUs without their driver and sets `kernel_module` and `on_pci`.
void look_for_gpus(const MachineAccess& machine, GpuSurvey& survey);

/// Survey as one text, and back. @throws ConfigError if the text holds none
std::string write_survey(const GpuSurvey& survey);
GpuSurvey read_survey(const std::string& text);

}  // namespace clusterwright
