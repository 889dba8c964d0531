// SPDX-License-Identifier: Apache-2.0
#include "calibration/sample_files/probe_device.hpp"

#include <array>

#include "calibration/sample_files/sparse_record.hpp"

namespace clusterwright {

template <>
struct EnumNames<ProbeDeviceKind> {
  static constexpr std::array<std::string_view, 2> names = {"host", "gpu"};
};

namespace {

constexpr double largest_bits = 9007199254740992;  // 2^53: integers that JSON's numbers hold exactly
constexpr double most_parts = 1 << 20;
constexpr double most_bytes = 1e15;

}  // namespace

const Record<DeviceState>& record(const DeviceState*) {
  static const auto table = Record<DeviceState>("state", "what the device reported")
                                .optional("sm_mhz", &DeviceState::sm, {.help = "clock", .min = 0})
                                .optional("memory_mhz", &DeviceState::memory, {.help = "clock", .min = 0})
                                .optional("temperature_c", &DeviceState::temperature_c, {.help = "of the chip"})
                                .optional("memory_temperature_c", &DeviceState::memory_temperature_c, {.help = "HBM"})
                                .optional("power_w", &DeviceState::power, {.help = "now", .min = 0})
                                .optional("power_average_w", &DeviceState::power_average, {.help = "mean", .min = 0})
                                .optional("clock_limit_reasons", &DeviceState::clock_limit_reasons,
                                          {.help = "bits", .min = 0, .max = largest_bits});
  return table;
}

const Record<PowerTrace>& record(const PowerTrace*) {
  const auto rule = [](const char* help) { return FieldRule{.help = help, .max_elements = 1u << 20}; };
  static const auto table =
      Record<PowerTrace>("trace", "readings over time")
          .required("t_s", &PowerTrace::t_s, rule("since the start"))
          .optional("power_w", &PowerTrace::power_w, rule("now"))
          .optional("power_average_w", &PowerTrace::power_average_w, rule("mean"))
          .optional("energy_j", &PowerTrace::energy_j, rule("counter"))
          .optional("sm_mhz", &PowerTrace::sm_mhz, rule("clock"))
          .optional("memory_mhz", &PowerTrace::memory_mhz, rule("clock"))
          .optional("temperature_c", &PowerTrace::temperature_c, rule("of the chip"))
          .optional("memory_temperature_c", &PowerTrace::memory_temperature_c, rule("HBM"))
          .optional("clock_limit_reasons", &PowerTrace::clock_limit_reasons,
                    FieldRule{.help = "bits", .min = 0, .max = largest_bits, .max_elements = 1u << 20});
  return table;
}

namespace {

using DeviceRecord = Record<ProbeDevice>;

const DeviceRecord& host_record() {
  static const auto table =
      DeviceRecord("host device", "a host")
          .required("kind", &ProbeDevice::kind, {.help = "host"})
          .required("cpu", &ProbeDevice::cpu, {.help = "model name"})
          .required("cores", &ProbeDevice::cores, {.help = "physical", .min = 1, .max = most_parts})
          .required("threads", &ProbeDevice::threads, {.help = "usable", .min = 1, .max = most_parts})
          .required("memory_bytes", &ProbeDevice::memory, {.help = "installed", .min = 0})
          .required("l3_bytes", &ProbeDevice::l3, {.help = "0: none, or unknown", .min = 0});
  return table;
}

const DeviceRecord& gpu_record() {
  static const auto table =
      DeviceRecord("gpu device", "a GPU")
          .optional("kind", &ProbeDevice::kind, {.help = "gpu"})
          .required("name", &ProbeDevice::name, {.help = "as the driver calls it"})
          .optional("compute_capability", &ProbeDevice::compute_capability, {.help = "such as 9.0"})
          .optional("memory_bytes", &ProbeDevice::memory, {.help = "installed", .min = 0})
          .optional("multiprocessors", &ProbeDevice::multiprocessors,
                    {.help = "streaming ones", .min = 1, .max = most_parts})
          .optional("l2_bytes", &ProbeDevice::l2, {.help = "second-level cache", .min = 0})
          .optional("shared_bytes_per_block", &ProbeDevice::shared_bytes_per_block,
                    {.help = "at most", .min = 0, .max = most_bytes})
          .optional("index", &ProbeDevice::index, {.help = "in its node", .min = 0, .max = most_parts})
          .optional("gpus_in_node", &ProbeDevice::gpus_in_node, {.help = "that are seen", .min = 1, .max = most_parts})
          .optional("driver", &ProbeDevice::driver, {.help = "version"})
          .optional("cuda_driver", &ProbeDevice::cuda_driver, {.help = "version"})
          .optional("cuda_runtime", &ProbeDevice::cuda_runtime, {.help = "version"})
          .optional("cublaslt", &ProbeDevice::cublaslt, {.help = "version", .min = 0, .max = 1e9})
          .optional("power_limit_w", &ProbeDevice::power_limit, {.help = "as set", .min = 0})
          .optional("max_sm_mhz", &ProbeDevice::max_sm, {.help = "clock", .min = 0})
          .optional("max_memory_mhz", &ProbeDevice::max_memory, {.help = "clock", .min = 0})
          .optional("pci_link", &ProbeDevice::pci_link, {.help = "generation and width"})
          .optional("nvml", &ProbeDevice::nvml, {.help = "what was wrong with it"});
  return table;
}

/// Whether a device is a GPU, by "kind" or by a key that only a host has.
bool is_gpu(const JsonValue& device) {
  const JsonValue* kind = device.find("kind");
  return kind ? kind->is(JsonKind::text) && kind->as_text() == "gpu" : device.find("cpu") == nullptr;
}

}  // namespace

ProbeDevice read_probe_device(const JsonValue& document, Decoder& decoder) {
  ProbeDevice out;
  const JsonValue* device = document.find("device");
  const JsonValue* samples = document.find("samples");
  if (!device) return out;
  const bool none = device->is_null() && samples && samples->elements().empty();
  const bool gpu = none || is_gpu(*device);
  const Decoder::Scope scope(decoder, document, *device, "device");
  if (!none) (gpu ? gpu_record() : host_record()).decode(*device, decoder, out);
  if (gpu) out.kind = ProbeDeviceKind::gpu;
  return out;
}

JsonValue write_probe_device(const ProbeDevice& device) {
  return encode_sparse(device.kind == ProbeDeviceKind::gpu ? gpu_record() : host_record(), device);
}

}  // namespace clusterwright
