// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/software_findings.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "tools/doctor/finding.hpp"
#include "tools/doctor/gpu_findings.hpp"
#include "tools/doctor/program_findings.hpp"

namespace clusterwright {

namespace {

constexpr const char* gpu_software = "GPU software";
constexpr const char* network = "network and cluster";

Finding library_finding(const char* section, const LibraryKind& kind, const LibraryAnswer& answer) {
  Finding out{section, kind.name, Verity::no, "", kind.purpose, ""};
  const LibraryFound& library = answer.library;
  if (!answer.problem.empty()) {
    out.found = Verity::partly;
    out.detail = answer.problem;
    out.remedy = "install it anew";
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
                         const std::vector<std::string>& programs, const char* purpose, const char* remedy) {
  std::vector<std::string> there, missing;
  for (const std::string& program : programs) (facts.programs.at(program) ? there : missing).push_back(program);
  Finding out{section, name, Verity::yes, fmt::format("{}", fmt::join(there, ", ")), purpose, ""};
  if (missing.empty()) return out;
  out.found = there.empty() ? Verity::no : Verity::partly;
  out.remedy = remedy;
  if (!there.empty()) out.detail += fmt::format("; without {}", fmt::join(missing, ", "));
  return out;
}

/// Equal ports are counted.
Finding ports_finding(const std::vector<FabricPort>& ports) {
  Finding out{network, "RDMA adapters", Verity::no, "", "InfiniBand or RoCE between nodes", "needs such adapters"};
  if (ports.empty()) return out;
  std::map<std::tuple<bool, std::string, std::string>, std::vector<std::string>> kinds;
  for (const FabricPort& port : ports) kinds[{!port.active, port.layer, port.rate}].push_back(port.adapter);
  out.found = Verity::partly;
  out.remedy = "no port is active: look at cables and the subnet manager";
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

}  // namespace

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
                           "seeing the cables of a fabric", "install infiniband-diags"),
          programs_finding(facts, network, "Slurm", {"sinfo", "sbatch", "srun"}, "jobs on several nodes",
                           "not needed on one node"),
          programs_finding(facts, network, "MPI launcher", {"mpirun"}, "processes on several nodes",
                           "not needed on one node"),
          library_finding(network, kind_of_library(LibraryId::mpi), facts.library(LibraryId::mpi))};
}

std::vector<Finding> findings_of(const DoctorFacts& facts) {
  std::vector<Finding> out;
  for (const auto section : {program_findings, host_findings, gpu_findings, software_findings, network_findings}) {
    const std::vector<Finding> some = section(facts);
    out.insert(out.end(), some.begin(), some.end());
  }
  return out;
}

std::string_view word(Verity verity) {
  constexpr std::string_view words[] = {"no", "partly", "yes"};
  return words[static_cast<std::size_t>(verity)];
}

}  // namespace clusterwright
