// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "models/job/hf_config.hpp"
#include "models/job/scenario.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/site/audit/blueprint.hpp"
#include "models/site/sizing/job_site.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "tools/cluster_session.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/show_topology.hpp"
#include "tools/config_kinds.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"
#include "tools/typed_text.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

namespace {

namespace fs = std::filesystem;

/// Failures and pictures are of a topology, so asking for them asks for it.
struct Wanted {
  bool topology = false;
  bool dot = false;
};

/// Every field of a scenario as it is used, with the place that gives it.
Shown show_fields(const Scenario& scenario) {
  std::vector<InputFile> read;
  const JobSite site(scenario, read);
  JsonValue effective = effective_scenario(scenario);
  site.complete(effective);
  ResultTable table{
      "", {words_column("path", "Field"), words_column("value", "Value"), words_column("origin", "Origin")}, {}};
  JsonValue list = JsonValue::list();
  for (const Origin& o : site.origins(scenario)) {
    table.rows.push_back({o.path, o.value, o.origin});
    list.push_back(JsonValue::object({{"path", o.path}, {"value", o.value}, {"origin", o.origin}}));
  }
  JsonValue json = JsonValue::object({{"scenario", std::move(effective)}, {"origins", list}});
  return {fmt::format("{} on {}", scenario.transformer.name, scenario.cluster.spec.name), std::move(json), {table}, {}};
}

/// Of a blueprint what it describes, without its claims.
Shown show_scenario(const ShowRequest& request, const fs::path& file, ConfigKind kind, Wanted wanted) {
  ScenarioOptions options{request.settings, {}};
  if (!request.parameters.empty()) options.parameters = named_file(request.parameters, {"parameters"});
  if (kind == ConfigKind::blueprint) {
    const LoadedBlueprint loaded = load_blueprint(file, options);
    if (!loaded.scenario) return show_topology(loaded.cluster, request.failures, wanted.dot);
  }
  const Scenario scenario =
      kind == ConfigKind::blueprint ? *load_blueprint(file, options).scenario : load_scenario(file, options);
  if (wanted.topology) return show_topology(scenario.cluster, request.failures, wanted.dot);
  return show_fields(scenario);
}

Shown show_transformer(const JsonValue& document) {
  const auto model = decode_record<Transformer>(in_own_form(document));
  const double count = total_parameters(model);
  ResultTable size{"",
                   {words_column("what", ""), words_column("value", "")},
                   {{"Parameters", count_text(static_cast<long long>(count))}}};
  JsonValue json = JsonValue::object({{"parameters", count}, {"transformer", encode_record(model)}});
  return {model.name, json, {size, facts_table(json.at("transformer"))}, {}};
}

template <class T>
Shown show_record(const JsonValue& document) {
  const JsonValue json = encode_record(decode_record<T>(document));
  return {"", json, {facts_table(json)}, {}};
}

Shown show_file(const ShowRequest& request, Wanted wanted) {
  if (!request.on.empty()) {
    const ClusterSession opened = open_cluster(ClusterName{request.file, request.on, request.gpus}, request.settings);
    return show_topology(opened.cluster, request.failures, wanted.dot);
  }
  if (!request.gpus.empty())
    throw option_error("--gpus", request.gpus, "sets the size of nodes that --on names", "add --on NODE, or --set");
  const fs::path file = named_file(request.file, config_folders());
  const JsonValue document = read_json_file(file);
  const ConfigKind kind = kind_of(document);
  if (holds_scenario(kind)) return show_scenario(request, file, kind, wanted);
  if (kind == ConfigKind::cluster || wanted.topology)  // of other kinds an error
    return show_topology(open_cluster(file, request.settings).cluster, request.failures, wanted.dot);
  switch (kind) {
    case ConfigKind::transformer:
      return show_transformer(document);
    case ConfigKind::stack:
      return show_record<SoftwareStack>(document);
    case ConfigKind::parameters:
      return show_record<ParameterSet>(document);
    case ConfigKind::collectives:
      return show_record<CollectiveSet>(document);
    case ConfigKind::steps:
      return show_record<StepCalibration>(document);
    case ConfigKind::prices:
      return show_record<PriceList>(document);
    case ConfigKind::facility:
      return show_record<FacilitySpec>(document);
    default:
      return show_record<Catalog>(document);
  }
}

std::string render_shown(OutputFormat format, const Shown& shown) {
  if (format == OutputFormat::dot) return shown.dot;
  if (format == OutputFormat::json) return write_json(shown.json) + "\n";
  if (format == OutputFormat::csv) return render_csv(shown.tables.back());
  const bool markdown = format == OutputFormat::markdown;
  std::string text;
  if (!shown.heading.empty())
    text = markdown ? "# " + markdown_text(shown.heading) + "\n" : printable(shown.heading) + "\n";
  for (const ResultTable& table : shown.tables) {
    if (table.rows.empty()) continue;
    if (!text.empty()) text += "\n";
    text += markdown ? render_markdown(table) : render_text(table);
  }
  return text;
}

}  // namespace

ExitCode show(const ShowRequest& request) {
  const auto targets = output_targets(request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv,
                                                       OutputFormat::markdown, OutputFormat::dot});
  Wanted wanted;
  wanted.dot = std::any_of(targets.begin(), targets.end(),
                           [](const OutputTarget& target) { return target.format == OutputFormat::dot; });
  wanted.topology = request.topology || wanted.dot || !request.failures.empty();
  const Shown shown = show_file(request, wanted);
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_shown(format, shown); });
  return ExitCode::ok;
}

}  // namespace clusterwright
