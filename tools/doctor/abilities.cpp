// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/abilities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tools/doctor/finding.hpp"

namespace clusterwright {

namespace {

constexpr const char* calibrate_host = "clusterwright calibrate run --only host";
constexpr const char* calibrate_gpu = "clusterwright calibrate run --only gpu";
constexpr int oldest_toolkit = 12;      // as calibration/probes/README.md says
constexpr int oldest_architecture = 8;  // likewise

/// 12 of "12.4"; 0 if it is no number.
int leading_number(const std::string& text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Ability predict_ability(const ConfigSurvey& configs) {
  Ability out{"predict steps and collectives", Verity::no, "the configs directory is missing", ""};
  if (!configs.found) return out;
  out.possible = configs.broken.empty() ? Verity::yes : Verity::partly;
  out.why = configs.broken.empty() ? "" : "not with the files that cannot be read";
  const bool named = !configs.shown.empty() && !configs.scenarios.empty();
  out.how = named ? fmt::format("clusterwright run {}/{}", configs.shown, configs.scenarios.front())
                  : "clusterwright init my-run";
  return out;
}

Ability validate_ability(const ConfigSurvey& configs) {
  if (configs.measurement_files == 0 || !configs.found)
    return {"judge predictions by measurements", Verity::no, "the measurements are missing", ""};
  return {"judge predictions by measurements", Verity::yes, "", "clusterwright validate"};
}

Ability host_ability(const DoctorFacts& facts) {
  Ability out{"calibrate this host", Verity::yes, "", calibrate_host};
  if (facts.temp_folder.problem.empty()) return out;
  out.possible = Verity::partly;
  out.why = "without storage: " + facts.temp_folder.problem;
  return out;
}

bool can_be_measured(const GpuFacts& gpu) {
  const bool new_enough =
      gpu.compute_capability.empty() || leading_number(gpu.compute_capability) >= oldest_architecture;
  return gpu.problem.empty() && !gpu.split && new_enough;
}

/// Why GPUs cannot be measured; empty if they can.
std::string gpu_obstacle(const DoctorFacts& facts) {
  const std::vector<GpuFacts>& gpus = facts.gpus.gpus;
  if (!facts.gpus.problem.empty()) return "the NVIDIA driver does not answer as it should";
  if (gpus.empty()) return facts.gpus.on_pci > 0 ? "the GPU has no driver" : "no GPU";
  if (std::none_of(gpus.begin(), gpus.end(), can_be_measured))
    return fmt::format("gpu_probe needs a whole GPU that answers, of compute capability {}.0 or newer",
                       oldest_architecture);
  if (!facts.gpu_probe) return facts.compiler ? "build gpu_probe first" : "no gpu_probe, and no nvcc to build it";
  if (const LibraryAnswer& blas = facts.library(LibraryId::cublaslt); !blas.library.found)
    return "gpu_probe does not start without cuBLASLt";
  return "";
}

/// Folder in which a command with relative paths works.
std::string from_root(const ConfigSurvey& configs) {
  return configs.shown == "configs" ? "" : "; from the root of the project";
}

/// "LD_LIBRARY_PATH=... " where a library is not where the loader looks.
std::string library_path(const DoctorFacts& facts) {
  for (const LibraryId id : {LibraryId::cublaslt, LibraryId::nccl})
    if (const std::string& folder = facts.library(id).library.folder; !folder.empty())
      return fmt::format("LD_LIBRARY_PATH={}:$LD_LIBRARY_PATH ", folder);
  return "";
}

Ability gpu_ability(const DoctorFacts& facts) {
  Ability out{"calibrate GPUs", Verity::no, gpu_obstacle(facts), ""};
  if (!out.why.empty()) return out;
  const auto& gpus = facts.gpus.gpus;
  const auto usable = std::count_if(gpus.begin(), gpus.end(), can_be_measured);
  const bool collectives = facts.library(LibraryId::nccl).library.found;
  out.possible = collectives ? Verity::yes : Verity::partly;
  out.why = fmt::format("{} GPU{}{}", usable, usable == 1 ? "" : "s",
                        collectives ? "" : ", without collectives: NCCL is missing");
  out.how = library_path(facts) + calibrate_gpu;
  return out;
}

/// Why gpu_probe cannot be built; empty if it can.
std::string build_obstacle(const DoctorFacts& facts) {
  if (!facts.compiler) return "no nvcc";
  if (!facts.configs.probe_sources) return "its sources are not here: take the project's calibration/probes";
  if (const std::string& version = facts.compiler->version;
      !version.empty() && leading_number(version) < oldest_toolkit)
    return fmt::format("nvcc {} is older than {}", version, oldest_toolkit);
  if (!facts.compiler->cublaslt_header) return "the headers of cuBLASLt are missing";
  return "";
}

/// Note on the driver that programs of this compiler need.
std::string driver_note(const DoctorFacts& facts) {
  const std::string& driver = facts.library(LibraryId::cuda_driver).library.version;
  if (facts.gpus.gpus.empty()) return "for an H100 or H200; sm_80 for an A100, sm_100 for a B200";
  if (driver.empty() || leading_number(driver) >= leading_number(facts.compiler->version)) return "";
  return fmt::format("but the driver runs programs up to CUDA {}", driver);
}

Ability build_ability(const DoctorFacts& facts) {
  Ability out{"build gpu_probe", Verity::no, build_obstacle(facts), ""};
  if (!out.why.empty()) return out;
  const std::string note = driver_note(facts);
  out.possible = note.starts_with("but") ? Verity::partly : Verity::yes;
  out.why = fmt::format("nvcc {}", facts.compiler->version);
  if (!note.empty()) out.why += ", " + note;
  out.why += from_root(facts.configs);
  out.how = fmt::format("{} -O3 -std=c++17 -arch={} calibration/probes/*.cu -lcublasLt -ldl -o gpu_probe",
                        facts.compiler->call, facts.gpus.gpus.empty() ? "sm_90" : "native");
  return out;
}

}  // namespace

std::vector<Ability> abilities_of(const DoctorFacts& facts) {
  return {predict_ability(facts.configs), validate_ability(facts.configs), host_ability(facts), build_ability(facts),
          gpu_ability(facts)};
}

}  // namespace clusterwright
