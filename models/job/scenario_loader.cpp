// SPDX-License-Identifier: Apache-2.0
#include "models/job/scenario_loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "models/job/calibration_check.hpp"
#include "models/job/hf_config.hpp"
#include "models/job/idle_power.hpp"
#include "models/job/job_blocks.hpp"
#include "models/job/job_software.hpp"
#include "models/job/node_cluster.hpp"
#include "models/job/parameter_choice.hpp"
#include "models/job/placement_option.hpp"
#include "models/job/price_list.hpp"
#include "models/job/scenario_source.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/cluster/like_parts.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

namespace fs = std::filesystem;

const Record<ScenarioSpec>& record(const ScenarioSpec*) {
  static const auto table =
      with_scenario_fields(Record<ScenarioSpec>("scenario", "A job on a cluster, which `run` and `scale` read"));
  return table;
}

namespace {

/// Document of a record in a file that a scenario names by a text. @param said  that text; nullptr: an option or a
/// default names it
template <class T>
JsonValue document_of(const fs::path& file, const JsonValue* said, std::vector<InputFile>& inputs) {
  const ReferenceReader read = [&](const fs::path& path) { return read_input(path, inputs); };
  return read_named_file(file, record(static_cast<const T*>(nullptr)), said ? *said : JsonValue(), read);
}

/// "megatron-2024" in configs/<folder>, or a path beside the file that names it, or below the working directory if an
/// option names it.
fs::path named_or_path(const std::string& text, const char* folder, const JsonValue* said, const fs::path& beside) {
  if (text.find('/') == std::string::npos && !text.ends_with(".json"))
    return configs_directory() / folder / (text + ".json");
  const bool by_option = said && said->source && said->source->name().starts_with("--");
  return named_file(text, {}, by_option ? fs::path() : beside);
}

JsonValue stack_document(Scenario& scenario, const fs::path& beside) {
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
  return document_of<SoftwareStack>(path, value, scenario.inputs);
}

/// Whether the stack of a file of the user's differs from every shipped one that its entry of the calibration
/// describes.
bool differs_from_measured(const SoftwareStack& stack) {
  if (stack.calibrated.empty()) return false;
  for (const std::string& name : config_names("stacks")) {
    const auto shipped =
        decode_record<SoftwareStack>(read_json_file(configs_directory() / "stacks" / (name + ".json")));
    if (shipped.calibrated == stack.calibrated && same_content(shipped, stack)) return false;
  }
  return true;
}

/// A run ends after a number of tokens or after a number of steps, not after both.
void check_length(const Job& job, const JsonValue& source) {
  Contradictions errors(source);
  if (job.tokens && job.steps)
    errors.report("E0355", "the length of the training run is given twice, as tokens and as steps",
                  {"/job/tokens", "/job/steps"}, "give one of them; \"auto\" takes the other back");
  errors.finish();
}

/// Place of job.placement, or of its first field where `--set` made it.
Place place_of_placement(const JsonValue& placement) {
  const std::string pointer = "/job/placement";
  if (!placement.source)
    for (const auto& [key, value] : placement.members())
      if (value.source) return value.place(pointer + "/" + key);
  return placement.place(pointer);
}

/// Cluster of a scenario. A refused placement is shown where the job asks for it.
Cluster placed_cluster(const ScenarioSpec& spec, const Catalog& catalog, const JsonValue& source) {
  const JsonValue& cluster = source.at("cluster");
  const std::string pointer = cluster.source == source.source ? "/cluster" : "";
  try {
    return build_cluster(spec.cluster, catalog, cluster, pointer,
                         block_request(spec.transformer, spec.job, spec.cluster.accelerators));
  } catch (const ConfigError& error) {
    std::vector<Diagnostic> errors = error.diagnostics();
    for (Diagnostic& found : errors)
      if (const JsonValue* placement = source.at_pointer("/job/placement"); placement && found.code == "E0335")
        found.places.push_back(place_of_placement(*placement));
    throw ConfigError(std::move(errors));
  }
}

Place place_of_parameters(const Scenario& scenario, const ScenarioOptions& options) {
  if (options.parameters) return option_place("--parameters", options.parameters->string());
  const JsonValue* value = scenario.source.find("parameters");
  return value ? value->place("/parameters") : Place{};
}

fs::path parameter_path(const ScenarioSpec& spec, const ScenarioOptions& options, const AcceleratorPart& part,
                        const JsonValue* said, const fs::path& beside) {
  if (options.parameters) return *options.parameters;
  if (spec.parameters != "auto") return named_or_path(spec.parameters, "parameters", said, beside);
  return parameter_file(part);
}

std::optional<LikeParent> like_parent(const AcceleratorPart& part, const Catalog& catalog) {
  const AcceleratorPart* parent = part.like.empty() ? nullptr : catalog.find_accelerator(part.like);
  if (!parent) return {};
  return LikeParent{data_sheet_distance(part, *parent), data_sheet_differences(part, *parent)};
}

/// Parameters of the kinds of nodes beyond the first. A set that a file or an option names serves all kinds whose
/// accelerator was measured as that of the first kind; the others take their usual set.
void add_further_kinds(Scenario& scenario) {
  const Cluster& cluster = scenario.cluster;
  for (int kind = 1; kind < cluster.kinds(); ++kind) {
    const AcceleratorPart& part = cluster.groups[cluster.group_of_kind(kind)].accelerator;
    KindParameters known{scenario.parameters, like_parent(part, *scenario.catalog)};
    if (measured_id(part) != measured_id(cluster.accelerator))
      known.parameters =
          decode_record<ParameterSet>(document_of<ParameterSet>(parameter_file(part), nullptr, scenario.inputs));
    scenario.by_kind.push_back(std::move(known));
  }
}

/// The limit of a single accelerator, as that of all.
void check_power_limit(const SlowAcceleratorSpec& slow, const Cluster& cluster, const Scenario& scenario,
                       const Place& place) {
  if (!slow.power_limit) return;
  AcceleratorPart part = cluster.part_of(AcceleratorId(static_cast<std::size_t>(slow.accelerator)));
  part.power_limit = slow.power_limit;
  check_power_limit(part, scenario.parameters.power, place);
}

void check_power_limits(const Scenario& scenario) {
  const Cluster& cluster = scenario.cluster;
  const JsonValue& written = scenario.source.at("cluster");
  const std::string pointer = written.source == scenario.source.source ? "/cluster" : "";
  const JsonValue* node = written.find("node");
  const Place place = node ? node->place(pointer + "/node") : written.place(pointer);
  for (int kind = 0; kind < cluster.kinds(); ++kind) {
    const ParameterSet& set =
        kind == 0 ? scenario.parameters : scenario.by_kind[static_cast<std::size_t>(kind - 1)].parameters;
    check_power_limit(cluster.groups[cluster.group_of_kind(kind)].accelerator, set.power, place);
  }
  for (const SlowAcceleratorSpec& slow : cluster.spec.slow) check_power_limit(slow, cluster, scenario, place);
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
      } else if (field.type == FieldType::record && field.is_list && !value->elements().empty()) {
        for (std::size_t i = 0; i < value->elements().size(); ++i)
          record_fields(field.nested(), value->elements()[i], element(own, i), fmt::format("{}.{}", path, i));
      } else {
        origins_.push_back({path, short_json(value->find("value") ? value->at("value") : *value), origin(own)});
      }
    }
  }

  static const JsonValue* element(const JsonValue* list, std::size_t index) {
    return list && list->is(JsonKind::list) && index < list->elements().size() ? &list->elements()[index] : nullptr;
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

}  // namespace

const RecordSpec& scenario_spec() {
  return record(static_cast<const ScenarioSpec*>(nullptr));
}

JsonValue read_resolved(const fs::path& path, const RecordSpec& spec, const ScenarioOptions& options,
                        std::vector<InputFile>& inputs) {
  return resolved(read_input(path, inputs), spec, options, inputs);
}

namespace {

std::shared_ptr<const Catalog> parts_of(const ScenarioOptions& options) {
  return options.catalog ? options.catalog : shipped_catalog();
}

/// Cluster, or its size, that options name instead of the file.
void set_machine(JsonValue& document, const ScenarioOptions& options) {
  JsonValue* cluster = document.find("cluster");
  const JsonValue* stated = cluster ? cluster->find("accelerators") : nullptr;
  const int own = stated && stated->is_numeric() ? static_cast<int>(stated->as_number()) : 0;
  const int accelerators = options.accelerators > 0 ? options.accelerators : own;
  if (!options.node.empty()) {
    if (accelerators < 1)
      throw ConfigError({"E0104",
                         "nothing says how many accelerators there are",
                         {option_place("--on", options.node)},
                         "",
                         "add --gpus N"});
    const auto catalog = parts_of(options);
    document.set("cluster", cluster_of_nodes(named_node(options.node, *catalog, accelerators), accelerators));
  }
}

/// Refuses a setting that would put other nodes under the name of those that an option chose.
void check_node_settings(const ScenarioOptions& options) {
  if (options.node.empty()) return;
  const std::string other = setting_of_nodes(options.settings);
  if (other.empty()) return;
  throw ConfigError({"E0404",
                     fmt::format("the nodes are named twice: --on {} and --set {}", options.node, other),
                     {option_place("--set", other), option_place("--on", options.node)},
                     "names other nodes",
                     "give one of them; a cluster file describes nodes of your own: --set cluster=FILE without --on"});
}

void add_faults(JsonValue& document, const std::vector<std::string>& faults) {
  JsonValue* cluster = document.find("cluster");
  if (faults.empty() || !cluster) return;
  if (!cluster->find("fabric")) cluster->set("fabric", JsonValue::object({}));  // which dimensions itself
  JsonValue* fabric = cluster->find("fabric");
  JsonValue all = fabric->find("faults") ? *fabric->find("faults") : JsonValue::list();
  for (const std::string& fault : faults) all.push_back(fault);
  fabric->set("faults", std::move(all));
}

}  // namespace

std::shared_ptr<const Catalog> shipped_catalog() {
  return std::make_shared<const Catalog>(load_catalog(configs_directory() / "parts", FactCheck::none));
}

std::string setting_of_nodes(const std::vector<std::string>& settings) {
  constexpr std::array<std::string_view, 4> paths = {"cluster", "cluster.node", "cluster.node.part",
                                                     "cluster.node.accelerator"};
  const auto names_nodes = [&](const std::string& setting) {
    return std::ranges::find(paths, std::string_view(setting).substr(0, setting.find('='))) != paths.end();
  };
  const auto found = std::ranges::find_if(settings, names_nodes);
  return found == settings.end() ? "" : *found;
}

JsonValue resolved(JsonValue document, const RecordSpec& spec, const ScenarioOptions& options,
                   std::vector<InputFile>& inputs) {
  check_node_settings(options);
  const ReferenceReader reader = [&](const fs::path& file) { return read_input(file, inputs); };
  // A machine and its size that options name leave nothing to read in the file's cluster.
  const bool replaced = !options.node.empty() && options.accelerators > 0;
  if (replaced) set_machine(document, options);
  resolve_references(document, spec, reader);
  if (!replaced) set_machine(document, options);
  translate_transformer(document);
  for (const std::string& setting : options.settings) {
    apply_setting(document, spec, setting, reader);
    translate_transformer(document);
  }
  // --gpus counts whatever a setting says.
  if (JsonValue* cluster = document.find("cluster"); cluster && options.accelerators > 0)
    cluster->set("accelerators", options.accelerators);
  add_faults(document, options.faults);
  set_placement(document, options.placement, inputs);
  if (JsonValue* cluster = document.find("cluster"))
    fill_in_like(*cluster, configs_directory() / "parts", cluster->source == document.source ? "/cluster" : "");
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
  scenario.catalog = parts_of(options);
  const Catalog& catalog = *scenario.catalog;
  scenario.cluster = placed_cluster(spec, catalog, scenario.source);
  if (std::string text = slice_remark(options.node, spec.cluster.node.part, catalog); !text.empty())
    scenario.cluster.remarks.push_back(std::move(text));
  scenario.like = like_parent(scenario.cluster.accelerator, catalog);
  check_length(spec.job, scenario.source);
  if (spec.prices)
    check_price_list(*spec.prices, with_own_parts(catalog, scenario.cluster.spec), scenario.source, "/prices");
  scenario.prices = std::move(spec.prices);
  spec.cluster = scenario.cluster.spec;  // with what parts say
  const JsonValue stack = stack_document(scenario, beside);
  scenario.stack = with_choices(decode_record<SoftwareStack>(stack), scenario.job);
  const JsonValue* said = scenario.source.find("steps");
  const JsonValue steps =
      document_of<StepCalibration>(named_or_path(spec.steps, "steps", said, beside), said, scenario.inputs);
  scenario.steps = decode_record<StepCalibration>(steps);
  check_covariance(scenario.steps, steps);
  check_entry(scenario.stack, scenario.steps, stack);
  check_latent_kernels(scenario.stack, catalog.accelerators, scenario.cluster.accelerator, stack);
  scenario.stack_changed = differs_from_measured(scenario.stack);
  scenario.stack = with_kernels_of(scenario.stack, scenario.job, scenario.transformer, scenario.cluster.accelerator);
  said = options.parameters ? nullptr : scenario.source.find("parameters");
  scenario.parameters = decode_record<ParameterSet>(document_of<ParameterSet>(
      parameter_path(spec, options, scenario.cluster.accelerator, said, beside), said, scenario.inputs));
  if (options.parameters || spec.parameters != "auto")
    check_serves(scenario.parameters, scenario.cluster.accelerator, place_of_parameters(scenario, options));
  check_attention(scenario.job, scenario.parameters, scenario.source);
  add_further_kinds(scenario);
  check_power_limits(scenario);
  return scenario;
}

Scenario load_scenario(const fs::path& path, const ScenarioOptions& options) {
  std::vector<InputFile> inputs;
  JsonValue source = read_resolved(path, scenario_spec(), options, inputs);
  auto spec = decode_record<ScenarioSpec>(source);
  return make_scenario(std::move(spec), std::move(source), options, folder_of(path), std::move(inputs));
}

Scenario scenario_of_document(JsonValue document, const ScenarioOptions& options) {
  std::vector<InputFile> inputs;
  JsonValue source = resolved(std::move(document), scenario_spec(), options, inputs);
  auto spec = decode_record<ScenarioSpec>(source);
  return make_scenario(std::move(spec), std::move(source), options, ".", std::move(inputs));
}

Catalog catalog_of(const Scenario& scenario) {
  if (scenario.catalog) return with_own_parts(*scenario.catalog, scenario.cluster.spec);
  return with_own_parts(*shipped_catalog(), scenario.cluster.spec);
}

JsonValue effective_scenario(const Scenario& scenario) {
  JsonValue document = JsonValue::object({{"cluster", encode_record(scenario.cluster.spec)},
                                          {"transformer", encode_record(scenario.transformer)},
                                          {"job", encode_record(scenario.job)}});
  if (scenario.prices) document.set("prices", encode_record(*scenario.prices));
  return document;
}

std::vector<Origin> origins(const JsonValue& effective, const JsonValue& written) {
  return OriginWalker().walk(scenario_spec(), effective, &written);
}

}  // namespace clusterwright
