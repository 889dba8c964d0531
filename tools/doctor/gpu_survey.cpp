// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/gpu_survey.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

// As in nvml.h, which need not be there.
using NvmlDevice = void*;
struct NvmlMemory {
  unsigned long long total, free, used;
};
constexpr int nvml_success = 0;

constexpr const char* nvidia_vendor = "0x10de";

class Nvml {
 public:
  explicit Nvml(LibrarySymbols symbols) : symbols_(std::move(symbols)) {}

  /// Calls a function of NVML. @return its status, or -1 if this version lacks it
  template <class... Arguments>
  int call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<int (*)(Arguments...)>(symbols_(name));
    return function ? function(arguments...) : -1;
  }

  std::string problem(const char* what, int status) const {
    if (status < 0) return fmt::format("NVML lacks {}", what);
    const auto words = reinterpret_cast<const char* (*)(int)>(symbols_("nvmlErrorString"));
    const char* const text = words ? words(status) : nullptr;
    return text ? fmt::format("NVML says: {}", printable(text)) : fmt::format("{} failed with {}", what, status);
  }

 private:
  LibrarySymbols symbols_;
};

GpuFacts facts_of(const Nvml& nvml, unsigned index) {
  GpuFacts gpu;
  NvmlDevice device = nullptr;
  const char* const handle = "nvmlDeviceGetHandleByIndex_v2";
  if (const int status = nvml.call(handle, index, &device); status != nvml_success) {
    gpu.problem = nvml.problem(handle, status);
    return gpu;
  }
  std::array<char, 128> name{};
  if (nvml.call("nvmlDeviceGetName", device, name.data(), static_cast<unsigned>(name.size() - 1)) == nvml_success)
    gpu.name = printable(name.data());
  NvmlMemory memory{};
  if (nvml.call("nvmlDeviceGetMemoryInfo", device, &memory) == nvml_success)
    gpu.memory = static_cast<double>(memory.total) * byte;
  int major = 0, minor = 0;
  if (nvml.call("nvmlDeviceGetCudaComputeCapability", device, &major, &minor) == nvml_success)
    gpu.compute_capability = fmt::format("{}.{}", major, minor);
  unsigned milliwatts = 0, now = 0, pending = 0;
  if (nvml.call("nvmlDeviceGetEnforcedPowerLimit", device, &milliwatts) == nvml_success)
    gpu.power_limit = 1e-3 * milliwatts * watt;
  gpu.split = nvml.call("nvmlDeviceGetMigMode", device, &now, &pending) == nvml_success && now != 0;
  return gpu;
}

void ask_devices(const Nvml& nvml, GpuSurvey& survey) {
  std::array<char, 96> driver{};
  if (nvml.call("nvmlSystemGetDriverVersion", driver.data(), static_cast<unsigned>(driver.size() - 1)) == nvml_success)
    survey.driver = printable(driver.data());
  const char* const count = "nvmlDeviceGetCount_v2";
  unsigned devices = 0;
  if (const int status = nvml.call(count, &devices); status != nvml_success)
    survey.problem = nvml.problem(count, status);
  for (unsigned index = 0; index < devices; ++index) survey.gpus.push_back(facts_of(nvml, index));
}

/// "535.104.05" of "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug ..."
std::string module_version(const std::string& text) {
  for (std::size_t at = text.find(' '); at != std::string::npos; at = text.find(' ', at + 1)) {
    const std::size_t end = text.find_first_not_of("0123456789.", at + 1);
    const std::string word = text.substr(at + 1, std::min(end, text.size()) - at - 1);
    if (word.find('.') != std::string::npos && word.front() != '.') return word;
  }
  return text.empty() ? "" : "of unknown version";
}

bool is_nvidia_gpu(const MachineAccess& machine, const std::filesystem::path& device) {
  if (!machine.read_file(device / "vendor").starts_with(nvidia_vendor)) return false;
  const std::string kind = machine.read_file(device / "class");
  return kind.starts_with("0x0300") || kind.starts_with("0x0302");  // VGA and 3D controllers
}

JsonValue gpu_document(const GpuFacts& gpu) {
  return JsonValue::object({{"name", gpu.name},
                            {"memory", gpu.memory.in(byte)},
                            {"compute_capability", gpu.compute_capability},
                            {"power_limit", gpu.power_limit ? JsonValue(gpu.power_limit->in(watt)) : JsonValue()},
                            {"split", gpu.split},
                            {"problem", gpu.problem}});
}

GpuFacts gpu_from(const JsonValue& document) {
  GpuFacts gpu{document.at("name").as_text(),
               document.at("memory").as_number() * byte,
               document.at("compute_capability").as_text(),
               std::nullopt,
               document.at("split").as_boolean(),
               document.at("problem").as_text()};
  if (const JsonValue& limit = document.at("power_limit"); !limit.is_null()) gpu.power_limit = limit.as_number() * watt;
  return gpu;
}

}  // namespace

GpuSurvey ask_nvml(const MachineAccess& machine) {
  GpuSurvey survey;
  const LibrarySymbols symbols = machine.open_library("libnvidia-ml.so.1");
  survey.library = static_cast<bool>(symbols);
  if (!symbols) return survey;
  const Nvml nvml(symbols);
  if (const int status = nvml.call("nvmlInit_v2"); status != nvml_success) {
    survey.problem = nvml.problem("nvmlInit_v2", status);
    return survey;
  }
  ask_devices(nvml, survey);
  nvml.call("nvmlShutdown");
  return survey;
}

void look_for_gpus(const MachineAccess& machine, GpuSurvey& survey) {
  survey.kernel_module = module_version(machine.read_file("/proc/driver/nvidia/version"));
  const std::filesystem::path devices = "/sys/bus/pci/devices";
  survey.on_pci = 0;
  for (const std::string& name : machine.list_folder(devices)) survey.on_pci += is_nvidia_gpu(machine, devices / name);
}

std::string write_survey(const GpuSurvey& survey) {
  JsonValue gpus = JsonValue::list();
  for (const GpuFacts& gpu : survey.gpus) gpus.push_back(gpu_document(gpu));
  return write_json(JsonValue::object({{"library", survey.library},
                                       {"problem", survey.problem},
                                       {"driver", survey.driver},
                                       {"kernel_module", survey.kernel_module},
                                       {"on_pci", static_cast<std::int64_t>(survey.on_pci)},
                                       {"gpus", gpus}}),
                    -1);
}

GpuSurvey read_survey(const std::string& text) {
  const JsonValue document = read_json(std::make_shared<SourceText>("NVML", text));
  GpuSurvey survey;
  survey.library = document.at("library").as_boolean();
  survey.problem = document.at("problem").as_text();
  survey.driver = document.at("driver").as_text();
  survey.kernel_module = document.at("kernel_module").as_text();
  survey.on_pci = static_cast<std::size_t>(document.at("on_pci").as_integer());
  for (const JsonValue& gpu : document.at("gpus").elements()) survey.gpus.push_back(gpu_from(gpu));
  return survey;
}

}  // namespace clusterwright
