// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/doctor_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "models/job/parameters.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/site/audit/blueprint.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "tools/config_kinds.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/validation_report.hpp"

namespace clusterwright {

namespace {

namespace fs = std::filesystem;

constexpr const char* without_specs = "schema";  // JSON schemas are no configs

/// From the folder on, sorted.
std::vector<fs::path> config_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path file = at->path().lexically_relative(folder);
    if (file.extension() == ".json" && *file.begin() != without_specs) files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

void read_config(const fs::path& file, const fs::path& folder, ConfigSurvey& survey) {
  const JsonValue document = read_json_file(folder / file);
  const ConfigKind kind = kind_of(document);
  if (kind == ConfigKind::scenario) {
    load_scenario(folder / file, {});  // with all that it refers to
    survey.scenarios.push_back(printable(file.string()));
    return;
  }
  if (kind == ConfigKind::blueprint) {
    load_blueprint(folder / file, {});
    return;
  }
  check_document(kind, document);
  if (kind != ConfigKind::parameters) return;
  ++survey.parameter_sets;
  const auto set = decode_record<ParameterSet>(document);
  if (!set.accelerator.empty()) survey.fitted.push_back(set.accelerator);
  survey.fitted.insert(survey.fitted.end(), set.also_for.begin(), set.also_for.end());
}

/// Path if it is below the working directory: other paths may hold a user's name.
std::string shown_path(const fs::path& path) {
  return path.is_relative() && *path.begin() != ".." ? printable(path.string()) : std::string();
}

}  // namespace

ProgramFiles find_program_files() {
  ProgramFiles files;
  try {
    files.configs = configs_directory();
    files.measurements = shipped_cases();
  } catch (const std::exception&) {  // missing paths stay empty
  }
  return files;
}

ConfigSurvey survey_configs(const ProgramFiles& files) {
  ConfigSurvey survey;
  std::error_code error;
  survey.measurement_files = files.measurements.size();
  survey.found = !files.configs.empty() && fs::is_directory(files.configs / "parts", error);
  if (!survey.found) return survey;
  survey.shown = shown_path(files.configs);
  survey.root = fs::absolute(files.configs, error).parent_path();
  survey.probe_sources = fs::exists(survey.root / "calibration/probes/main.cu", error);
  for (const fs::path& file : config_files(files.configs)) {
    ++survey.files;
    try {
      read_config(file, files.configs, survey);
    } catch (const std::exception&) {
      survey.broken.push_back(printable(file.string()));
    }
  }
  try {
    survey.catalog = load_catalog(files.configs / "parts");
  } catch (const std::exception&) {
    survey.catalog = {};
    if (survey.broken.empty()) survey.broken.emplace_back("parts");  // each is right, together they are not
  }
  return survey;
}

namespace {

namespace fs = std::filesystem;

constexpr const char* programs[] = {"mpirun", "srun", "sbatch", "sinfo", "ibstat", "ibnetdiscover", "nvidia-smi"};

/// Reason for a missing answer; empty if there is one.
std::string problem_of(const GuardedAnswer& answer, std::chrono::milliseconds limit) {
  switch (answer.outcome) {
    case GuardedAnswer::Outcome::answered:
      return "";
    case GuardedAnswer::Outcome::late:
      return fmt::format("no answer within {:.1f} s", 1e-3 * static_cast<double>(limit.count()));
    default:
      return "crashed when called";
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

/// Compiler with its version from the headers beside it, so it need not run.
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

/// First line of a file of /sys.
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

/// Calls that run in processes of their own.
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
