// SPDX-License-Identifier: Apache-2.0
#pragma once
// NVML through dlopen with our own prototypes, so that neither its header nor its stub is needed to build. Reads only.

#include <string>
#include <vector>

#include "json.hpp"

namespace clusterwright::probes {

/// One reading. A field that this GPU or driver does not offer is NaN and becomes null.
struct GpuState {
  double sm_mhz, memory_mhz, temperature_c, memory_temperature_c;
  double power_w;  // instant where present, else the driver's average over about 1 s
  double power_average_w;
  double clock_limit_reasons;  // NVML's bit mask: 0x4 power cap, 0x20 software thermal, 0x40 hardware thermal, 0x1 idle

  JsonObject json() const;
};

class Nvml {
 public:
  Nvml();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Selects the GPU by PCI address, because NVML's order is not CUDA's. Returns "" or the reason why it cannot.
  std::string open(const std::string& pci_bus_id);
  bool present() const { return device_ != nullptr; }

  GpuState state() const;
  double energy_j() const;       // since the driver was loaded; NaN where not offered
  double power_limit_w() const;  // the enforced one
  double max_clock_mhz(int clock) const;
  std::string driver() const;
  std::string pci_link() const;  // "gen5 x16"; "" when not known

  static constexpr int sm_clock = 1, memory_clock = 2;

 private:
  template <class Function>
  Function* find(const char* name) const;
  double number(const char* name) const;
  double large_number(const char* name) const;
  double field(unsigned id) const;
  double clock(const char* name, int clock) const;

  void* library_ = nullptr;
  void* device_ = nullptr;
};

}  // namespace clusterwright::probes
