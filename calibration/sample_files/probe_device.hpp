// SPDX-License-Identifier: Apache-2.0
/// Machine that samples were taken on, and what it reported meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/field_table.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

enum class ProbeDeviceKind { host, gpu };

/// Machine without its name. Zero and empty mean "not known" or "not of this kind".
struct ProbeDevice {
  ProbeDeviceKind kind = ProbeDeviceKind::host;
  Bytes memory;
  // Host.
  std::string cpu;
  std::int64_t cores = 0;    ///< physical cores
  std::int64_t threads = 0;  ///< threads that the process may use
  Bytes l3;
  // GPU.
  std::string name;
  std::string compute_capability;  ///< 9.0
  std::int64_t multiprocessors = 0, index = 0, gpus_in_node = 0, cublaslt = 0;
  std::int64_t shared_bytes_per_block = 0;
  Bytes l2;
  std::string driver, cuda_driver, cuda_runtime, pci_link, nvml;
  std::optional<Watts> power_limit;
  std::optional<Hertz> max_sm, max_memory;
};

/// State that the device reported while a sample was taken; empty where it reports nothing.
struct DeviceState {
  std::optional<Hertz> sm, memory;
  std::optional<double> temperature_c, memory_temperature_c;
  std::optional<Watts> power, power_average;
  std::optional<double> clock_limit_reasons;  ///< bits of NVML
};

/// Readings of a held load, one list per column, all of equal length.
struct PowerTrace {
  std::vector<std::optional<double>> t_s, power_w, power_average_w, energy_j, sm_mhz, memory_mhz, temperature_c,
      memory_temperature_c, clock_limit_reasons;
};

const Record<DeviceState>& record(const DeviceState*);
const Record<PowerTrace>& record(const PowerTrace*);

/// Reads "device" of a document. A GPU's program writes null where there is no GPU.
ProbeDevice read_probe_device(const JsonValue& document, Decoder& decoder);

/// Keys of the device's kind that hold something.
JsonValue write_probe_device(const ProbeDevice& device);

}  // namespace clusterwright
