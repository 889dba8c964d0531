// SPDX-License-Identifier: Apache-2.0
#include "models/job/scenario_loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "models/job/hf_config.hpp"
#include "models/job/price_list.hpp"
#include "models/job/scenario_source.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

namespace fs = std::filesystem;

const Record<ScenarioSpec>& record(const ScenarioSpec*) {
  static const auto table =
      with_scenario_fields(Record<ScenarioSpec>("scenario", "A job on a cluster, which `run` and `scale` read"));
  return table;
}

namespace {

/// Record of a file that a scenario names by a text. @param said  that text; nullptr: an option or a default names it
template <class T>
T read_named(const fs::path& file, const JsonValue* said, std::vector<InputFile>& inputs) {
  const ReferenceReader read = [&](const fs::path& path) { return read_input(path, inputs); };
  return decode_record<T>(
      read_named_file(file, record(static_cast<const T*>(nullptr)), said ? *said : JsonValue(), read));
}

/// "megatron-2024" in configs/<folder>, or a path beside the file that names it, or below the working directory if an
/// option names it.
fs::path named_or_path(const std::string& text, const char* folder, const JsonValue* said, const fs::path& beside) {
  if (text.find('/') == std::string::npos && !text.ends_with(".json"))
    return configs_directory() / folder / (text + ".json");
  const bool by_option = said && said->source && said->source->name().starts_with("--");
  return named_file(text, {}, by_option ? fs::path() : beside);
}

SoftwareStack load_stack(const Scenario& scenario, const fs::path& beside, std::vector<InputFile>& inputs) {
  const JsonValue* value = scenario.source.at_pointer("/job/stack");
  const fs::path path = named_or_path(scenario.job.stack, "stacks", value, beside);
  if (!fs::exists(path)) {
    const std::vector<std::string> known = config_names("stacks");
    const std::string meant = did_you_mean(scenario.job.stack, known);
    throw ConfigError({"E0203",
                       fmt::format("unknown stack \"{}\"", scenario.job.stack),
                       {(value ? *value : scenario.source).place("/job/stack")},
                       "not in configs/stacks",
                       fmt::format("{}{}there are: {}", meant, meant.empty() ? "" : "   ", fmt::join(known, ", "))});
  }
  return read_named<SoftwareStack>(path, value, inputs);
}

bool serves(const ParameterSet& set, const std::string& accelerator) {
  const auto& siblings = set.also_for;
  return set.accelerator == accelerator || std::find(siblings.begin(), siblings.end(), accelerator) != siblings.end();
}

/// Generic parameters are shares of a data sheet, so it must state what they are shares of.
void check_data_sheet(const AcceleratorPart& part) {
  const bool stated =
      peak(part, NumberFormat::bf16) > FlopsPerSecond{} && part.memory_bandwidth.value > BytesPerSecond{};
  if (stated) return;
  throw ConfigError({"E0315",
                     fmt::format("no parameters for \"{}\"", part.id),
                     {},
                     "its data sheet has no 16-bit rate or no memory bandwidth",
                     "give --parameters FILE"});
}

fs::path parameter_path(const ScenarioSpec& spec, const ScenarioOptions& options, const AcceleratorPart& part,
                        const JsonValue* said, const fs::path& beside) {
  if (options.parameters) return *options.parameters;
  if (spec.parameters != "auto") return named_or_path(spec.parameters, "parameters", said, beside);
  return parameter_file(part);
}

/// Settings name our fields, so a config.json is translated before any of them applies.
void translate_transformer(JsonValue& scenario) {
  if (JsonValue* transformer = scenario.find("transformer")) *transformer = in_own_form(std::move(*transformer));
}

std::string short_json(const JsonValue& value) {
  return write_json(value, -1);
}

/// Walks spec, effective values and written values side by side.
class OriginWalker {
 public:
  std::vector<Origin> walk(const RecordSpec& spec, const JsonValue& effective, const JsonValue* written) {
    record_fields(spec, effective, written, "");
    return std::move(origins_);
  }

 private:
  void record_fields(const RecordSpec& spec, const JsonValue& effective, const JsonValue* written,
                     const std::string& prefix) {
    for (const FieldSpec& field : spec.fields) {
      const JsonValue* value = effective.find(field.key);
      const JsonValue* own = written ? written->find(field.key) : nullptr;
      const std::string path = prefix.empty() ? field.key : prefix + "." + field.key;
      const bool plain_record = field.type == FieldType::record && !field.is_list && !field.is_map;
      if (!value) continue;
      if (plain_record && value->is(JsonKind::object)) {
        record_fields(field.nested(), *value, own, path);
      } else {
        origins_.push_back({path, short_json(value->find("value") ? value->at("value") : *value), origin(own)});
      }
    }
  }

  static std::string origin(const JsonValue* written) {
    if (!written || !written->source) return "default";
    const std::string place =
        written->source->name().starts_with("--set")
            ? "--set"
            : fmt::format("{}:{}", written->source->name(), written->source->locate(written->offset).line);
    const JsonValue* source = written->is(JsonKind::object) ? written->find("source") : nullptr;
    return source && source->is(JsonKind::text) ? place + " (" + source->as_text() + ")" : place;
  }

  std::vector<Origin> origins_;
};

/// Names of the shipped sets; the one that is called like the part comes first, since others need not be read then.
std::vector<std::string> parameter_sets(const AcceleratorPart& part) {
  std::vector<std::string> names = config_names("parameters");
  std::string own = part.id;
  for (char& letter : own)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  const auto found = std::find(names.begin(), names.end(), own);
  if (found != names.end()) std::rotate(names.begin(), found, found + 1);
  return names;
}

}  // namespace

const RecordSpec& scenario_spec() {
  return record(static_cast<const ScenarioSpec*>(nullptr));
}

fs::path parameter_file(const AcceleratorPart& part) {
  const fs::path folder = configs_directory() / "parameters";
  fs::path sibling;
  for (const std::string& name : parameter_sets(part)) {
    const fs::path path = folder / (name + ".json");
    const auto set = decode_record<ParameterSet>(read_json_file(path));
    if (set.accelerator == part.id) return path;
    if (serves(set, part.id)) sibling = path;
  }
  if (!sibling.empty()) return sibling;
  check_data_sheet(part);
  return folder / "generic.json";
}

JsonValue read_resolved(const fs::path& path, const RecordSpec& spec, const ScenarioOptions& options,
                        std::vector<InputFile>& inputs) {
  JsonValue document = read_input(path, inputs);
  const ReferenceReader reader = [&](const fs::path& file) { return read_input(file, inputs); };
  resolve_references(document, spec, reader);
  translate_transformer(document);
  for (const std::string& setting : options.settings) {
    apply_setting(document, spec, setting, reader);
    translate_transformer(document);
  }
  if (JsonValue* prices = document.find("prices")) *prices = filled_in_prices(std::move(*prices), reader);
  return document;
}

Scenario make_scenario(ScenarioSpec spec, JsonValue source, const ScenarioOptions& options, const fs::path& beside,
                       std::vector<InputFile> inputs) {
  Scenario scenario;
  scenario.source = std::move(source);
  scenario.inputs = std::move(inputs);
  scenario.transformer = spec.transformer;
  scenario.job = spec.job;
  const JsonValue& cluster = scenario.source.at("cluster");
  const bool in_line = cluster.source == scenario.source.source;
  const Catalog catalog = load_catalog(configs_directory() / "parts");
  scenario.cluster = build_cluster(spec.cluster, catalog, cluster, in_line ? "/cluster" : "");
  if (spec.prices)
    check_price_list(*spec.prices, with_own_parts(catalog, scenario.cluster.spec), scenario.source, "/prices");
  spec.cluster = scenario.cluster.spec;  // with what parts say
  scenario.stack = load_stack(scenario, beside, scenario.inputs);
  const JsonValue* steps = scenario.source.find("steps");
  scenario.steps =
      read_named<StepCalibration>(named_or_path(spec.steps, "steps", steps, beside), steps, scenario.inputs);
  const JsonValue* said = options.parameters ? nullptr : scenario.source.find("parameters");
  scenario.parameters = read_named<ParameterSet>(
      parameter_path(spec, options, scenario.cluster.accelerator, said, beside), said, scenario.inputs);
  return scenario;
}

Scenario load_scenario(const fs::path& path, const ScenarioOptions& options) {
  std::vector<InputFile> inputs;
  JsonValue source = read_resolved(path, scenario_spec(), options, inputs);
  auto spec = decode_record<ScenarioSpec>(source);
  return make_scenario(std::move(spec), std::move(source), options, folder_of(path), std::move(inputs));
}

JsonValue effective_scenario(const Scenario& scenario) {
  return JsonValue::object({{"cluster", encode_record(scenario.cluster.spec)},
                            {"transformer", encode_record(scenario.transformer)},
                            {"job", encode_record(scenario.job)}});
}

std::vector<Origin> origins(const Scenario& scenario) {
  return OriginWalker().walk(scenario_spec(), effective_scenario(scenario), &scenario.source);
}

}  // namespace clusterwright
