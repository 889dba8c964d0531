// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program_findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tools/build_facts.hpp"
#include "tools/doctor/finding.hpp"
#include "tools/output/escape.hpp"

namespace clusterwright {

namespace {

Finding version_finding() {
  const BuildFacts& build = build_facts();
  const std::string commit = build.commit.empty() ? "" : fmt::format(" ({})", build.commit);
  const std::string type = build.build_type.empty() ? "" : fmt::format("{} build, ", build.build_type);
  return {"this program",
          "version",
          Verity::yes,
          fmt::format("{}{}, {}{}", build.version, commit, type, build.compiler),
          "telling results apart",
          ""};
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
    out.detail = fmt::format("{}{} files, all can be read", place, configs.files);
    return out;
  }
  constexpr std::size_t shown = 3;
  const auto end = configs.broken.begin() + static_cast<std::ptrdiff_t>(std::min(shown, configs.broken.size()));
  out.found = Verity::partly;
  out.detail = fmt::format("{}{} of {} files cannot be read: {}{}", place, configs.broken.size(), configs.files,
                           fmt::join(configs.broken.begin(), end, ", "), configs.broken.size() > shown ? ", ..." : "");
  out.remedy = "`clusterwright check FILE` says what is wrong";
  return out;
}

Finding parameters_finding(const ConfigSurvey& configs) {
  Finding out{
      "this program", "fitted parameters", Verity::no, "", "times of matrix multiplies, collectives and steps", ""};
  if (configs.parameter_sets == 0) {
    out.remedy = "come with configs";
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
    out.remedy = "come with configs";
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
    out.remedy = "take calibration/measurements of the project along, beside configs";
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
    out.remedy = "build it where nvcc is, see the end";
  }
  return out;
}

}  // namespace

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
    temporary.remedy = "to measure storage, set TMPDIR to a folder on it";
  }
  return {processor, memory, temporary};
}

}  // namespace clusterwright
