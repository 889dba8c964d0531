// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "calibration/sample_files/catalog_accelerator.hpp"
#include "tools/build_facts.hpp"
#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

Finding version_finding() {
  const BuildFacts& build = build_facts();
  const std::string commit = build.commit.empty() ? "" : fmt::format(" ({})", build.commit);
  const std::string type = build.build_type.empty() ? "" : fmt::format("{} build, ", build.build_type);
  return {"this program",        "version",
          Verity::yes,           fmt::format("{}{}, {}{}", build.version, commit, type, build.compiler),
          "identifying results", ""};
}

Finding configs_finding(const ConfigSurvey& configs) {
  Finding out{"this program", "configs", Verity::no, "", "parts, parameters and scenarios", ""};
  if (!configs.found) {
    out.remedy = "set CLUSTERWRIGHT_CONFIGS to the configs directory of the project";
    return out;
  }
  const std::string place = configs.shown.empty() ? "" : configs.shown + ": ";
  if (configs.broken.empty()) {
    out.found = Verity::yes;
    out.detail = fmt::format("{}{} files, all readable", place, configs.files);
    return out;
  }
  constexpr std::size_t shown = 3;
  const auto end = configs.broken.begin() + static_cast<std::ptrdiff_t>(std::min(shown, configs.broken.size()));
  out.found = Verity::partly;
  out.detail = fmt::format("{}{} of {} files cannot be read: {}{}", place, configs.broken.size(), configs.files,
                           fmt::join(configs.broken.begin(), end, ", "), configs.broken.size() > shown ? ", ..." : "");
  out.remedy = "`clusterwright check FILE` lists the errors";
  return out;
}

Finding parameters_finding(const ConfigSurvey& configs) {
  Finding out{"this program", "fitted parameters", Verity::no, "", "times of GEMMs, collectives and steps", ""};
  if (configs.parameter_sets == 0) {
    out.remedy = "restore the configs directory";
    return out;
  }
  out.found = Verity::yes;
  out.detail = fmt::format("{} sets, for {}", configs.parameter_sets, fmt::join(configs.fitted, ", "));
  return out;
}

Finding parts_finding(const Catalog& catalog) {
  Finding out{"this program", "parts", Verity::no, "", "clusters", ""};
  const std::size_t parts = catalog.accelerators.size() + catalog.nics.size() + catalog.switches.size() +
                            catalog.cables.size() + catalog.nodes.size();
  if (parts == 0) {
    out.remedy = "restore the configs directory";
    return out;
  }
  out.found = Verity::yes;
  out.detail = fmt::format("{}: {} accelerators, {} network adapters, {} switches, {} cables, {} servers", parts,
                           catalog.accelerators.size(), catalog.nics.size(), catalog.switches.size(),
                           catalog.cables.size(), catalog.nodes.size());
  return out;
}

Finding measurements_finding(const ConfigSurvey& configs) {
  Finding out{"this program", "measurements", Verity::no, "", "judging predictions", ""};
  if (configs.measurement_files == 0) {
    out.remedy = "copy calibration/measurements of the project beside configs";
    return out;
  }
  out.found = Verity::yes;
  out.detail = fmt::format("{} files of published measurements", configs.measurement_files);
  return out;
}

Finding gpu_probe_finding(const DoctorFacts& facts) {
  Finding out{"this program", "gpu_probe", Verity::no, "", "measuring GPUs", ""};
  if (facts.gpu_probe) {
    out.found = Verity::yes;
    out.detail = printable(facts.gpu_probe->call);
  } else if (facts.gpu_probe_misnamed) {
    out.detail = "CLUSTERWRIGHT_GPU_PROBE names no program";
    out.remedy = "correct or unset it";
  } else {
    out.remedy = "build it on a machine with nvcc; see the end";
  }
  return out;
}

std::vector<Finding> program_findings(const DoctorFacts& facts) {
  return {version_finding(),
          configs_finding(facts.configs),
          parameters_finding(facts.configs),
          parts_finding(facts.configs.catalog),
          measurements_finding(facts.configs),
          gpu_probe_finding(facts)};
}

std::vector<Finding> host_findings(const DoctorFacts& facts) {
  const ProbeDevice& device = facts.host.device;
  const Bytes available = facts.host.available;
  Finding processor{"host",
                    "processor",
                    Verity::yes,
                    fmt::format("{}, {} cores, {} threads to use", printable(device.cpu), device.cores, device.threads),
                    "simulations, in parallel",
                    ""};
  Finding memory{"host",
                 "memory",
                 Verity::yes,
                 fmt::format("{:.1f} GB{}", device.memory.in(gigabyte),
                             available > Bytes{} ? fmt::format(", {:.1f} GB available", available.in(gigabyte)) : ""),
                 "simulations",
                 ""};
  const TempFolder& folder = facts.temp_folder;
  Finding temporary{
      "host",
      "temporary folder",
      Verity::yes,
      fmt::format("{}, {:.1f} GB free", folder.in_memory ? "in memory" : "on storage", folder.free.in(gigabyte)),
      "measuring storage",
      ""};
  if (!folder.problem.empty()) {
    temporary.found = Verity::partly;
    if (!folder.in_memory) temporary.detail = folder.problem;
    temporary.remedy = "to measure storage, set TMPDIR to a folder on the drive";
  }
  return {processor, memory, temporary};
}

constexpr const char* gpu_hardware = "GPUs";

std::string counted_gpus(std::size_t count) {
  return fmt::format("{} NVIDIA GPU{}", count, count == 1 ? "" : "s");
}

/// Traces of GPUs without NVML.
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
  Finding out{gpu_hardware, "NVIDIA driver", Verity::no, "", "detecting and using GPUs", ""};
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
    out.remedy = "in a container, pass the GPUs to it; elsewhere, install the driver's libraries";
  } else {
    out.detail = rest;
    out.remedy = gpus.on_pci > 0 ? "install NVIDIA's driver" : "needs a machine with an NVIDIA GPU";
  }
  return out;
}

bool has_parameters(const ConfigSurvey& configs, const std::string& accelerator) {
  return std::find(configs.fitted.begin(), configs.fitted.end(), accelerator) != configs.fitted.end();
}

/// Entry of the catalog for a GPU.
std::string catalog_words(const GpuFacts& gpu, const ConfigSurvey& configs) {
  if (const auto id = catalog_accelerator(gpu.name, gpu.memory, configs.catalog))
    return fmt::format("catalog entry {}, {}", *id,
                       has_parameters(configs, *id) ? "with fitted parameters" : "with parameters of related parts");
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
  Finding out{gpu_hardware,
              first == last ? fmt::format("GPU {}", first) : fmt::format("GPUs {} to {}", first, last),
              Verity::yes,
              "",
              "predictions with its catalog entry; measurements",
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

constexpr const char* gpu_software = "GPU software";
constexpr const char* network = "network and cluster";

Finding library_finding(const char* section, const LibraryKind& kind, const LibraryAnswer& answer) {
  Finding out{section, kind.name, Verity::no, "", kind.purpose, ""};
  const LibraryFound& library = answer.library;
  if (!answer.problem.empty()) {
    out.found = Verity::partly;
    out.detail = answer.problem;
    out.remedy = "reinstall it";
  } else if (!library.found) {
    out.remedy = kind.remedy;
  } else {
    out.found = library.folder.empty() ? Verity::yes : Verity::partly;
    out.detail = library.version.empty() ? library.file + ", of unknown version" : library.version;
    if (library.folder.empty()) return out;
    out.detail += " in " + library.folder;
    out.remedy = fmt::format("programs find it with LD_LIBRARY_PATH={}", library.folder);
  }
  return out;
}

Finding compiler_finding(const DoctorFacts& facts) {
  Finding out{gpu_software, "nvcc", Verity::no, "", "building gpu_probe", "install the CUDA Toolkit 12 or newer"};
  if (!facts.compiler) return out;
  out.found = Verity::yes;
  out.detail = fmt::format("{}{}", facts.compiler->version.empty() ? "of unknown version" : facts.compiler->version,
                           facts.compiler->call == "nvcc" ? "" : ", as " + facts.compiler->call);
  out.remedy.clear();
  if (facts.compiler->cublaslt_header) return out;
  out.found = Verity::partly;
  out.detail += ", without the headers of cuBLASLt";
  out.remedy = "install libcublas-dev of the same version";
  return out;
}

/// Programs in PATH: yes if all are there, no if none.
Finding programs_finding(const DoctorFacts& facts, const char* section, const char* name,
                         const std::vector<std::string>& wanted, const char* purpose, const char* remedy) {
  std::vector<std::string> there, missing;
  for (const std::string& program : wanted) (facts.programs.at(program) ? there : missing).push_back(program);
  Finding out{section, name, Verity::yes, fmt::format("{}", fmt::join(there, ", ")), purpose, ""};
  if (missing.empty()) return out;
  out.found = there.empty() ? Verity::no : Verity::partly;
  out.remedy = remedy;
  if (!there.empty()) out.detail += fmt::format("; without {}", fmt::join(missing, ", "));
  return out;
}

/// Equal ports are counted.
Finding ports_finding(const std::vector<FabricPort>& ports) {
  Finding out{network,
              "RDMA adapters",
              Verity::no,
              "",
              "InfiniBand or RoCE between nodes",
              "needs InfiniBand or RoCE adapters"};
  if (ports.empty()) return out;
  std::map<std::tuple<bool, std::string, std::string>, std::vector<std::string>> kinds;
  for (const FabricPort& port : ports) kinds[{!port.active, port.layer, port.rate}].push_back(port.adapter);
  out.found = Verity::partly;
  out.remedy = "no port is active: check cables and the subnet manager";
  for (const auto& [kind, adapters] : kinds) {
    const auto& [down, layer, rate] = kind;
    out.detail += fmt::format("{}{} x {}, {}{}", out.detail.empty() ? "" : "; ", adapters.size(), layer, rate,
                              down ? ", down" : "");
    if (down) continue;
    out.found = Verity::yes;
    out.remedy.clear();
  }
  return out;
}

const LibraryKind& kind_of_library(LibraryId id) {
  return library_kinds()[static_cast<std::size_t>(id)];
}

std::vector<Finding> software_findings(const DoctorFacts& facts) {
  std::vector<Finding> out;
  for (const LibraryKind& kind : library_kinds())
    if (kind.id != LibraryId::mpi) out.push_back(library_finding(gpu_software, kind, facts.library(kind.id)));
  out.push_back(compiler_finding(facts));
  out.push_back(programs_finding(facts, gpu_software, "nvidia-smi", {"nvidia-smi"}, "watching GPUs",
                                 "comes with the NVIDIA driver"));
  return out;
}

std::vector<Finding> network_findings(const DoctorFacts& facts) {
  return {ports_finding(facts.ports),
          programs_finding(facts, network, "InfiniBand tools", {"ibstat", "ibnetdiscover"},
                           "listing the cables of a fabric", "install infiniband-diags"),
          programs_finding(facts, network, "Slurm", {"sinfo", "sbatch", "srun"}, "jobs on several nodes",
                           "not needed on one node"),
          programs_finding(facts, network, "MPI launcher", {"mpirun"}, "processes on several nodes",
                           "not needed on one node"),
          library_finding(network, kind_of_library(LibraryId::mpi), facts.library(LibraryId::mpi))};
}

}  // namespace

std::vector<Finding> findings_of(const DoctorFacts& facts) {
  std::vector<Finding> out;
  for (const auto findings : {program_findings, host_findings, gpu_findings, software_findings, network_findings}) {
    const std::vector<Finding> some = findings(facts);
    out.insert(out.end(), some.begin(), some.end());
  }
  return out;
}

std::string_view word(Verity verity) {
  constexpr std::string_view words[] = {"no", "partly", "yes"};
  return words[static_cast<std::size_t>(verity)];
}

}  // namespace clusterwright
