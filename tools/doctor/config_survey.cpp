// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/config_survey.hpp"

#include <algorithm>

#include "models/job/parameters.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/site/audit/blueprint.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "tools/config_kinds.hpp"
#include "tools/output/escape.hpp"
#include "tools/output/validation_session.hpp"
#include "topology/parts/catalog.hpp"

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

/// Only what lies below the working directory is shown: other paths tell who works here.
std::string shown_path(const fs::path& path) {
  return path.is_relative() && *path.begin() != ".." ? printable(path.string()) : std::string();
}

}  // namespace

ProgramFiles find_program_files() {
  ProgramFiles files;
  try {
    files.configs = configs_directory();
    files.measurements = shipped_cases();
  } catch (const std::exception&) {  // what is missing stays empty
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

}  // namespace clusterwright
