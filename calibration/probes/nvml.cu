// SPDX-License-Identifier: Apache-2.0
#include "nvml.hpp"

#include <dlfcn.h>

#include <limits>

namespace clusterwright::probes {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr unsigned field_memory_temperature = 82, field_power_average = 185, field_power_instant = 186;

// As in nvml.h: nvmlFieldValue_t. The value's union is eight bytes, read by `type`.
struct FieldValue {
  unsigned field, scope;
  long long timestamp_us, latency_us;
  int type, status;
  union {
    double as_double;
    int as_int;
    unsigned as_unsigned;
    unsigned long long as_long;
  } value;
};

double value_of(const FieldValue& field) {
  switch (field.type) {
    case 0:
      return field.value.as_double;
    case 1:
      return field.value.as_unsigned;
    case 2:
    case 3:
    case 4:
      return static_cast<double>(field.value.as_long);
    case 5:
      return field.value.as_int;
    default:
      return missing;
  }
}

}  // namespace

JsonObject GpuState::json() const {
  JsonObject out;
  out.put("sm_mhz", sm_mhz).put("memory_mhz", memory_mhz).put("temperature_c", temperature_c);
  out.put("memory_temperature_c", memory_temperature_c).put("power_w", power_w).put("power_average_w", power_average_w);
  return out.put("clock_limit_reasons", clock_limit_reasons);
}

Nvml::Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {}

Nvml::~Nvml() {
  // Neither shut down nor closed: the sampler of a cut run may still be inside a call.
}

template <class Function>
Function* Nvml::find(const char* name) const {
  return library_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library_, name));
}

std::string Nvml::open(const std::string& pci_bus_id) {
  if (library_ == nullptr) return "libnvidia-ml.so.1 not found";
  const auto init = find<int()>("nvmlInit_v2");
  const auto by_bus = find<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
  if (init == nullptr || by_bus == nullptr) return "libnvidia-ml.so.1 lacks nvmlInit_v2";
  if (const int status = init(); status != 0) return "nvmlInit_v2 failed with status " + std::to_string(status);
  const int status = by_bus(pci_bus_id.c_str(), &device_);
  if (status == 0) return "";
  device_ = nullptr;
  return "nvmlDeviceGetHandleByPciBusId_v2 failed with status " + std::to_string(status);
}

double Nvml::number(const char* name) const {
  const auto get = find<int(void*, unsigned*)>(name);
  unsigned value = 0;
  return present() && get != nullptr && get(device_, &value) == 0 ? value : missing;
}

double Nvml::large_number(const char* name) const {
  const auto get = find<int(void*, unsigned long long*)>(name);
  unsigned long long value = 0;
  return present() && get != nullptr && get(device_, &value) == 0 ? static_cast<double>(value) : missing;
}

double Nvml::clock(const char* name, int clock) const {
  const auto get = find<int(void*, int, unsigned*)>(name);
  unsigned value = 0;
  return present() && get != nullptr && get(device_, clock, &value) == 0 ? value : missing;
}

double Nvml::field(unsigned id) const {
  const auto get = find<int(void*, int, FieldValue*)>("nvmlDeviceGetFieldValues");
  FieldValue field{};
  field.field = id;
  if (!present() || get == nullptr || get(device_, 1, &field) != 0 || field.status != 0) return missing;
  return value_of(field);
}

GpuState Nvml::state() const {
  GpuState state{};
  state.sm_mhz = clock("nvmlDeviceGetClockInfo", sm_clock);
  state.memory_mhz = clock("nvmlDeviceGetClockInfo", memory_clock);
  state.temperature_c = clock("nvmlDeviceGetTemperature", 0);  // same prototype; sensor 0 is the GPU
  state.memory_temperature_c = field(field_memory_temperature);
  const double usage_w = 1e-3 * number("nvmlDeviceGetPowerUsage");
  const double instant_w = 1e-3 * field(field_power_instant);
  const double average_w = 1e-3 * field(field_power_average);
  state.power_w = std::isfinite(instant_w) ? instant_w : usage_w;
  state.power_average_w = std::isfinite(average_w) ? average_w : usage_w;
  state.clock_limit_reasons = large_number("nvmlDeviceGetCurrentClocksEventReasons");
  if (!std::isfinite(state.clock_limit_reasons)) {  // its name before driver 535
    state.clock_limit_reasons = large_number("nvmlDeviceGetCurrentClocksThrottleReasons");
  }
  return state;
}

double Nvml::energy_j() const {
  return 1e-3 * large_number("nvmlDeviceGetTotalEnergyConsumption");
}

double Nvml::power_limit_w() const {
  return 1e-3 * number("nvmlDeviceGetEnforcedPowerLimit");
}

double Nvml::max_clock_mhz(int which) const {
  return clock("nvmlDeviceGetMaxClockInfo", which);
}

std::string Nvml::driver() const {
  const auto get = find<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  char text[96] = "";
  return get != nullptr && get(text, sizeof text) == 0 ? text : "";
}

std::string Nvml::pci_link() const {
  const double generation = number("nvmlDeviceGetMaxPcieLinkGeneration"),
               width = number("nvmlDeviceGetMaxPcieLinkWidth");
  if (!std::isfinite(generation) || !std::isfinite(width)) return "";
  return "gen" + json_number(generation) + " x" + json_number(width);
}

}  // namespace clusterwright::probes
