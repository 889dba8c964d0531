// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/doctor_facts.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "tools/doctor/guarded_calls.hpp"
#include "tools/output/escape.hpp"

namespace clusterwright {

namespace {

namespace fs = std::filesystem;

constexpr const char* programs[] = {"mpirun", "srun", "sbatch", "sinfo", "ibstat", "ibnetdiscover", "nvidia-smi"};

/// Why there is no answer; empty if there is.
std::string problem_of(const GuardedAnswer& answer, std::chrono::milliseconds limit) {
  switch (answer.outcome) {
    case GuardedAnswer::Outcome::answered:
      return "";
    case GuardedAnswer::Outcome::late:
      return fmt::format("no answer within {:.1f} s", 1e-3 * static_cast<double>(limit.count()));
    default:
      return "crashed when asked";
  }
}

/// "13.0" of a line "#define CUDART_VERSION 13000"; empty if the header has none.
std::string defined_version(const std::string& header) {
  const std::string_view name = "#define CUDART_VERSION";
  const std::size_t at = header.find(name);
  if (at == std::string::npos) return "";
  const std::size_t digits = header.find_first_not_of(' ', at + name.size());
  int number = 0;
  if (digits != std::string::npos) std::from_chars(header.data() + digits, header.data() + header.size(), number);
  return number > 0 ? fmt::format("{}.{}", number / 1000, number % 1000 / 10) : "";
}

/// Headers beside the compiler say its version, so it need not run.
CudaCompiler compiler_at(const MachineAccess& machine, const Located& nvcc) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(nvcc.path, error);
  CudaCompiler out{nvcc.call, "", false};
  for (const fs::path& program : {nvcc.path, real}) {
    const fs::path include = program.parent_path().parent_path() / "include";
    if (out.version.empty()) out.version = defined_version(machine.read_file(include / "cuda_runtime_api.h"));
    out.cublaslt_header = out.cublaslt_header || !machine.read_file(include / "cublasLt.h").empty();
  }
  return out;
}

std::optional<CudaCompiler> find_compiler(const MachineAccess& machine) {
  if (const auto nvcc = find_program(machine, "nvcc")) return compiler_at(machine, *nvcc);
  for (const Located& folder : cuda_folders(machine))
    if (machine.is_program(folder.path / "bin/nvcc"))
      return compiler_at(machine, {folder.path / "bin/nvcc", folder.call + "/bin/nvcc"});
  return std::nullopt;
}

/// Of a file of /sys: one line.
std::string line_in(const MachineAccess& machine, const fs::path& path) {
  const std::string text = machine.read_file(path);
  return printable(text.substr(0, text.find('\n')));
}

std::vector<FabricPort> find_ports(const MachineAccess& machine) {
  const fs::path adapters = "/sys/class/infiniband";
  std::vector<FabricPort> out;
  for (const std::string& adapter : machine.list_folder(adapters))
    for (const std::string& port : machine.list_folder(adapters / adapter / "ports")) {
      const fs::path folder = adapters / adapter / "ports" / port;
      out.push_back({printable(adapter), line_in(machine, folder / "rate"), line_in(machine, folder / "link_layer"),
                     line_in(machine, folder / "state").find("ACTIVE") != std::string::npos});
    }
  return out;
}

/// The calls that run aside.
class LibraryCalls {
 public:
  LibraryCalls(const MachineAccess& machine, std::chrono::milliseconds limit) : limit_(limit), calls_(limit) {
    nvml_ = calls_.start([&] { return write_survey(ask_nvml(machine)); });
    for (const LibraryKind& kind : library_kinds())
      libraries_[static_cast<std::size_t>(kind.id)] =
          calls_.start([&] { return write_library(ask_library(machine, kind.id)); });
  }

  void collect(DoctorFacts& facts) {
    const GuardedAnswer nvml = calls_.answer(nvml_);
    if (const std::string problem = problem_of(nvml, limit_); problem.empty()) {
      facts.gpus = read_survey(nvml.text);
    } else {
      facts.gpus.library = true;
      facts.gpus.problem = "NVML: " + problem;
    }
    for (std::size_t i = 0; i < library_count; ++i) {
      const GuardedAnswer answer = calls_.answer(libraries_[i]);
      facts.libraries[i].problem = problem_of(answer, limit_);
      if (facts.libraries[i].problem.empty()) facts.libraries[i].library = read_library(answer.text);
    }
  }

 private:
  std::chrono::milliseconds limit_;
  GuardedCalls calls_;
  std::size_t nvml_ = 0;
  std::array<std::size_t, library_count> libraries_{};
};

}  // namespace

DoctorFacts examine(const MachineAccess& machine, const ProgramFiles& files, std::chrono::milliseconds limit) {
  LibraryCalls calls(machine, limit);  // first, so that the rest is done while they run
  DoctorFacts facts;
  facts.host = machine.host();
  facts.temp_folder = machine.temp_folder();
  facts.configs = survey_configs(files);
  facts.gpu_probe = look_for_gpu_probe(machine, facts.configs.root);
  facts.gpu_probe_misnamed = !facts.gpu_probe && !machine.environment("CLUSTERWRIGHT_GPU_PROBE").empty();
  facts.compiler = find_compiler(machine);
  for (const char* program : programs) facts.programs[program] = find_program(machine, program).has_value();
  facts.ports = find_ports(machine);
  calls.collect(facts);
  look_for_gpus(machine, facts.gpus);
  return facts;
}

}  // namespace clusterwright
