// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/gpu_findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "calibration/sample_files/catalog_accelerator.hpp"
#include "tools/doctor/finding.hpp"

namespace clusterwright {

namespace {

constexpr const char* section = "GPUs";

std::string counted_gpus(std::size_t count) {
  return fmt::format("{} NVIDIA GPU{}", count, count == 1 ? "" : "s");
}

/// What there is beside NVML.
std::string without_nvml(const GpuSurvey& gpus) {
  std::vector<std::string> words;
  if (!gpus.kernel_module.empty()) words.push_back(fmt::format("kernel module {} is loaded", gpus.kernel_module));
  if (gpus.on_pci > 0) words.push_back(counted_gpus(gpus.on_pci) + " on the PCI bus");
  return fmt::format("{}", fmt::join(words, ", "));
}

/// The first thing to do where NVML is there and fails.
std::string remedy_of_failure(const GpuSurvey& gpus) {
  if (gpus.problem.find("no answer") != std::string::npos)
    return "try again; persistence mode (`nvidia-smi -pm 1`) makes drivers answer at once";
  if (gpus.problem.find("mismatch") != std::string::npos)
    return "restart the machine: the driver was updated while it was loaded";
  return "`nvidia-smi` should work first; containers need the GPUs passed to them";
}

Finding driver_finding(const GpuSurvey& gpus) {
  Finding out{section, "NVIDIA driver", Verity::no, "", "seeing and using GPUs", ""};
  const std::string rest = without_nvml(gpus);
  if (gpus.library && gpus.problem.empty()) {
    out.found = Verity::yes;
    out.detail = gpus.driver.empty() ? "of unknown version" : gpus.driver;
    if (gpus.gpus.empty()) out.detail += ", without a GPU";
  } else if (gpus.library) {
    out.found = Verity::partly;
    out.detail = gpus.problem + (rest.empty() ? "" : "; " + rest);
    out.remedy = remedy_of_failure(gpus);
  } else if (!gpus.kernel_module.empty()) {
    out.found = Verity::partly;
    out.detail = rest + ", libnvidia-ml.so.1 is missing";
    out.remedy = "in a container, have the GPUs passed to it; else install the driver's libraries";
  } else {
    out.detail = rest;
    out.remedy = gpus.on_pci > 0 ? "install NVIDIA's driver" : "needs a machine with an NVIDIA GPU";
  }
  return out;
}

bool has_parameters(const ConfigSurvey& configs, const std::string& accelerator) {
  return std::find(configs.fitted.begin(), configs.fitted.end(), accelerator) != configs.fitted.end();
}

/// What the catalog says of it.
std::string catalog_words(const GpuFacts& gpu, const ConfigSurvey& configs) {
  if (const auto id = catalog_accelerator(gpu.name, gpu.memory, configs.catalog))
    return fmt::format("{} of the catalog, {}", *id,
                       has_parameters(configs, *id) ? "with fitted parameters" : "parameters from its relatives");
  const auto near = nearest_accelerators(gpu.name, gpu.memory, configs.catalog);
  return near.empty() ? "not in the catalog" : fmt::format("not in the catalog, nearest: {}", fmt::join(near, ", "));
}

std::string described(const GpuFacts& gpu) {
  std::string text = gpu.name.empty() ? "unnamed" : gpu.name;
  if (gpu.memory > Bytes{}) text += fmt::format(", {:.1f} GB", gpu.memory.in(gigabyte));
  if (!gpu.compute_capability.empty()) text += fmt::format(", compute {}", gpu.compute_capability);
  if (gpu.power_limit) text += fmt::format(", limit {:.0f} W", gpu.power_limit->in(watt));
  return text;
}

/// Equal neighbours, first to last.
Finding gpus_finding(const DoctorFacts& facts, std::size_t first, std::size_t last) {
  const GpuFacts& gpu = facts.gpus.gpus[first];
  Finding out{section,
              first == last ? fmt::format("GPU {}", first) : fmt::format("GPUs {} to {}", first, last),
              Verity::yes,
              "",
              "predictions, by its part of the catalog; measurements",
              ""};
  if (!gpu.problem.empty()) {
    out.found = Verity::partly;
    out.detail = gpu.problem;
    out.remedy = "`nvidia-smi` should show it first";
    return out;
  }
  out.detail = described(gpu) + "; " + catalog_words(gpu, facts.configs);
  if (!catalog_accelerator(gpu.name, gpu.memory, facts.configs.catalog)) {
    out.found = Verity::partly;
    out.remedy = "describe it in configs/parts/accelerators.json";
  }
  if (gpu.split) {
    out.found = Verity::partly;
    out.detail += "; split into MIG slices";
    out.remedy = "to measure all of it, turn MIG off";
  }
  return out;
}

}  // namespace

std::vector<Finding> gpu_findings(const DoctorFacts& facts) {
  std::vector<Finding> out{driver_finding(facts.gpus)};
  const std::vector<GpuFacts>& gpus = facts.gpus.gpus;
  for (std::size_t first = 0; first < gpus.size();) {
    std::size_t last = first;
    while (last + 1 < gpus.size() && gpus[last + 1] == gpus[first]) ++last;
    out.push_back(gpus_finding(facts, first, last));
    first = last + 1;
  }
  return out;
}

}  // namespace clusterwright
