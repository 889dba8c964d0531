// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/doctor_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "calibration/sample_files/catalog_accelerator.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"

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
  out.why = configs.broken.empty() ? "" : "except with the unreadable files";
  const bool named = !configs.shown.empty() && !configs.scenarios.empty();
  out.how = named ? fmt::format("clusterwright run {}/{}", configs.shown, configs.scenarios.front())
                  : "clusterwright init my-run";
  return out;
}

Ability validate_ability(const ConfigSurvey& configs) {
  if (configs.measurement_files == 0 || !configs.found)
    return {"compare predictions with measurements", Verity::no, "the measurements are missing", ""};
  return {"compare predictions with measurements", Verity::yes, "", "clusterwright validate"};
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

/// Reason that GPUs cannot be measured; empty if they can.
std::string gpu_obstacle(const DoctorFacts& facts) {
  const std::vector<GpuFacts>& gpus = facts.gpus.gpus;
  if (!facts.gpus.problem.empty()) return "the NVIDIA driver does not answer correctly";
  if (gpus.empty()) return facts.gpus.on_pci > 0 ? "the GPU has no driver" : "no GPU";
  if (std::none_of(gpus.begin(), gpus.end(), can_be_measured))
    return fmt::format("gpu_probe needs a whole GPU that responds, with compute capability {}.0 or newer",
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

/// Reason that gpu_probe cannot be built; empty if it can.
std::string build_obstacle(const DoctorFacts& facts) {
  if (!facts.compiler) return "no nvcc";
  if (!facts.configs.probe_sources) return "its sources are missing: copy calibration/probes from the project";
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
  return fmt::format("but the driver supports programs up to CUDA {}", driver);
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

namespace {

constexpr std::size_t widest_line = 100;

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string joined(const std::string& first, const char* between, const std::string& second_part) {
  return first + (first.empty() || second_part.empty() ? "" : between) + second_part;
}

/// Detail of a finding; for a missing thing also its purpose and remedy.
std::string said_of(const Finding& finding) {
  if (finding.found != Verity::no) return joined(finding.detail, "; ", finding.remedy);
  return joined(finding.detail, "; ", fmt::format("for {}: {}", finding.purpose, finding.remedy));
}

/// A line for each finding below the name of its section.
ResultTable finding_table(const std::vector<Finding>& findings) {
  ResultTable table{
      "", {words_column("name", ""), words_column("found", "Found"), words_column("detail", "Detail")}, {}};
  std::string section;
  for (const Finding& finding : findings) {
    if (finding.section != section) {
      if (!section.empty()) table.rows.push_back({"", "", ""});
      section = finding.section;
      table.rows.push_back({capitalised(section), "", ""});
    }
    table.rows.push_back({"  " + finding.name, word(finding.found), said_of(finding)});
  }
  return table;
}

/// Words on lines of at most `widest_line` columns; a longer word stays whole.
/// @param between  where a line may end: " -" keeps the options of a command with their values
/// @param join     what ends a line that another follows: " \\" for a shell
std::string folded(const std::string& margin, std::string rest, const char* between, const char* join) {
  std::string text = margin;
  const std::size_t width = widest_line - margin.size() - 4;
  while (rest.size() > width) {
    const std::size_t space = rest.rfind(between, width);
    if (space == std::string::npos) break;
    text += rest.substr(0, space) + join + "\n" + margin + "    ";
    rest.erase(0, space + 1);
  }
  return text + rest + "\n";
}

std::string ability_text(const std::vector<Ability>& abilities) {
  std::string text = "Tasks on this machine\n";
  for (const Ability& ability : abilities) {
    const std::string why = ability.why.empty() ? "" : fmt::format(" ({})", printable(ability.why));
    text += folded("  ", fmt::format("{}: {}{}", ability.what, word(ability.possible), why), " ", "");
    if (!ability.how.empty()) text += folded("      ", printable(ability.how), " -", " \\");
  }
  return text;
}

JsonValue finding_json(const Finding& finding) {
  return JsonValue::object({{"section", finding.section},
                            {"name", finding.name},
                            {"found", word(finding.found)},
                            {"detail", finding.detail},
                            {"purpose", finding.purpose},
                            {"remedy", finding.remedy}});
}

JsonValue text_or_null(const std::string& text) {
  return text.empty() ? JsonValue() : JsonValue(text);
}

JsonValue gpu_json(const GpuFacts& gpu, std::size_t index, const DoctorFacts& facts) {
  const Catalog& catalog = facts.configs.catalog;
  const auto id = catalog_accelerator(gpu.name, gpu.memory, catalog);
  JsonValue nearest = JsonValue::list();
  if (!id)
    for (const std::string& near : nearest_accelerators(gpu.name, gpu.memory, catalog)) nearest.push_back(near);
  return JsonValue::object({{"index", static_cast<std::int64_t>(index)},
                            {"name", text_or_null(gpu.name)},
                            {"accelerator", id ? JsonValue(*id) : JsonValue()},
                            {"nearest", nearest},
                            {"memory_gb", gpu.memory > Bytes{} ? JsonValue(gpu.memory.in(gigabyte)) : JsonValue()},
                            {"compute_capability", text_or_null(gpu.compute_capability)},
                            {"power_limit_w", gpu.power_limit ? JsonValue(gpu.power_limit->in(watt)) : JsonValue()},
                            {"driver", text_or_null(facts.gpus.driver)},
                            {"split", gpu.split},
                            {"problem", text_or_null(gpu.problem)}});
}

JsonValue ability_json(const Ability& ability) {
  return JsonValue::object({{"what", ability.what},
                            {"possible", word(ability.possible)},
                            {"why", text_or_null(ability.why)},
                            {"how", text_or_null(ability.how)}});
}

}  // namespace

JsonValue doctor_json(const DoctorFacts& facts) {
  JsonValue document = result_header("doctor", 0, {});
  JsonValue findings = JsonValue::list(), gpus = JsonValue::list(), can = JsonValue::list();
  for (const Finding& finding : findings_of(facts)) findings.push_back(finding_json(finding));
  for (std::size_t i = 0; i < facts.gpus.gpus.size(); ++i) gpus.push_back(gpu_json(facts.gpus.gpus[i], i, facts));
  for (const Ability& ability : abilities_of(facts)) can.push_back(ability_json(ability));
  document.set("findings", findings);
  document.set("gpus", gpus);
  document.set("can", can);
  return document;
}

std::string doctor_text(const DoctorFacts& facts) {
  return render_text(finding_table(findings_of(facts))) + "\n" + ability_text(abilities_of(facts));
}

std::string doctor_markdown(const DoctorFacts& facts) {
  ResultTable findings{
      "Findings",
      {words_column("section", "Section"), words_column("name", "Name"), words_column("found", "Found"),
       words_column("detail", "Detail"), words_column("purpose", "Purpose"), words_column("remedy", "Remedy")},
      {}};
  for (const Finding& f : findings_of(facts))
    findings.rows.push_back({f.section, f.name, word(f.found), f.detail, f.purpose, f.remedy});
  ResultTable can{"Tasks on this machine",
                  {words_column("what", "Task"), words_column("possible", "Possible"), words_column("why", "Why"),
                   words_column("how", "How")},
                  {}};
  for (const Ability& a : abilities_of(facts)) can.rows.push_back({a.what, word(a.possible), a.why, a.how});
  return render_markdown(findings) + "\n" + render_markdown(can);
}

}  // namespace clusterwright
