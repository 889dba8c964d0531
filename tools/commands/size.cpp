// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "models/job/price_list.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/job/scenario_source.hpp"
#include "models/site/plant/facility_files.hpp"
#include "models/site/sizing/sized_cluster.hpp"
#include "sim/field_table.hpp"
#include "tools/cluster_session.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/price_settings.hpp"
#include "tools/commands/scenario_session.hpp"
#include "tools/config_kinds.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/site_papers.hpp"
#include "tools/output/size_report.hpp"
#include "tools/output/warnings.hpp"
#include "tools/standard_streams.hpp"
#include "tools/typed_text.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/nodes/power_limit.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

namespace {

/// Cluster to size, with the job of a scenario or without.
struct SizingSession {
  Cluster cluster;
  Catalog catalog;  ///< with the cluster's own parts
  Facility facility;
  PriceList prices;
  std::optional<Scenario> scenario;
  ResultContext context;
  Place node;  ///< place of the cluster's nodes, for errors of planning
};

Place node_place(const JsonValue& cluster, const std::string& pointer) {
  const JsonValue* node = cluster.find("node");
  return (node ? *node : cluster).place(pointer + "/node");
}

/// Sized cluster; errors without a place, since planning knows no files, get that of the nodes.
SizedCluster size_at(const SizingRequest& request, const Place& node) {
  try {
    return size_cluster(request);
  } catch (const ConfigError& error) {
    std::vector<Diagnostic> diagnostics = error.diagnostics();
    for (Diagnostic& diagnostic : diagnostics)
      if (diagnostic.places.empty()) diagnostic.places.push_back(node);
    throw ConfigError(std::move(diagnostics));
  }
}

/// Price list that `--prices` names: a name in configs/prices, or a path.
JsonValue named_list(const std::string& prices, const ReferenceReader& read) {
  if (prices.ends_with(".json")) return read(prices);
  JsonValue name(prices);
  name.source = std::make_shared<const SourceText>("--prices", prices);
  name.length = prices.size();
  return JsonValue::object({{"like", name}});
}

/// Document with the price list of `--prices` in place of its own, and settings of prices over either.
JsonValue with_prices(JsonValue document, const SizeRequest& request, std::vector<InputFile>& inputs) {
  const ReferenceReader read = [&](const std::filesystem::path& file) { return read_input(file, inputs); };
  if (!request.prices.empty()) document.set("prices", named_list(request.prices, read));
  return with_price_settings(std::move(document), request.scenario.settings, inputs);
}

JsonValue effective_prices(PriceList prices) {
  prices.like = "none";
  return encode_record(prices);
}

void open_with_job(const SizeRequest& request, SizingSession& session) {
  ScenarioSession opened = open_scenario(request.scenario, ScenarioReader::size);
  session.context = std::move(opened.context);
  const Scenario& scenario = session.scenario.emplace(std::move(opened.scenario));
  session.cluster = scenario.cluster;
  session.catalog = catalog_of(scenario);
  const JsonValue& cluster = scenario.source.at("cluster");
  const bool in_line = cluster.source == scenario.source.source;
  session.node = node_place(cluster, in_line ? "/cluster" : "");
  auto& inputs = session.context.inputs;
  session.facility = load_facility(session.cluster, session.catalog, cluster, in_line ? "/cluster" : "", inputs);
  session.prices = load_prices(with_prices(scenario.source, request, inputs), session.catalog, inputs);
  session.context.scenario.find("cluster")->set("facility", effective_facility(session.facility));
  session.context.scenario.set("prices", effective_prices(session.prices));
}

void open_without_job(const SizeRequest& request, SizingSession& session) {
  std::vector<std::string> settings = request.scenario.settings;
  std::erase_if(settings, sets_prices);
  constexpr std::string_view of_cluster = "cluster.";
  if (!request.scenario.cap.empty()) settings.push_back(cap_setting(request.scenario.cap).substr(of_cluster.size()));
  const ScenarioRequest& asked = request.scenario;
  if (!asked.parameters.empty())
    throw option_error("--parameters", asked.parameters, "changes nothing: a cluster alone has no job",
                       "leave it out, or size a scenario");
  if (asked.on.empty() && !asked.gpus.empty())
    settings.push_back(fmt::format("accelerators={}", parse_count({"--gpus", asked.gpus})));
  ClusterSession opened = open_cluster(ClusterName{asked.scenario, asked.on, asked.gpus}, settings);
  check_cap(request.scenario, opened.cluster);
  ResultContext& context = session.context;
  context = make_result_context(opened.cluster, "size", request.scenario.command_line,
                                parse_seed({"--seed", request.scenario.seed}));
  context.scenario = JsonValue();  // none: a cluster alone is no scenario
  context.inputs = opened.inputs;
  session.node = node_place(opened.document, opened.pointer);
  session.cluster = opened.cluster;
  session.catalog = with_own_parts(std::move(opened.catalog), opened.cluster.spec);
  session.facility = load_facility(session.cluster, session.catalog, opened.document, opened.pointer, context.inputs);
  session.prices =
      load_prices(with_prices(JsonValue::object(), request, context.inputs), session.catalog, context.inputs);
}

SizingSession open_sizing(const SizeRequest& request) {
  SizingSession session;
  std::vector<InputFile> unused;
  const bool cluster =
      request.scenario.scenario.empty() ||
      kind_of(read_input(named_file(request.scenario.scenario, {"scenarios", "clusters", "transformers"}), unused)) ==
          ConfigKind::cluster;
  if (cluster)
    open_without_job(request, session);
  else
    open_with_job(request, session);
  return session;
}

void write_paper(const std::string& file, const ResultTable& table, bool quiet) {
  write_file(file, render_csv(table));
  if (!quiet && file != "-") write_error(fmt::format("wrote {}\n", printable(file)));
}

void write_papers(const SizeRequest& request, const SitePlan& plan) {
  const bool quiet = request.output.quiet;
  if (!request.elevations.empty()) write_paper(request.elevations, elevation_table(plan), quiet);
  if (!request.patch_list.empty()) write_paper(request.patch_list, patch_table(plan), quiet);
}

}  // namespace

ExitCode size(const SizeRequest& request) {
  const auto targets = output_targets(request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv,
                                                       OutputFormat::markdown, OutputFormat::html});
  const SizingSession session = open_sizing(request);
  const Scenario* scenario = session.scenario ? &*session.scenario : nullptr;
  const SizedCluster sized = size_at(
      {session.cluster, session.catalog, session.facility, session.prices, scenario, !request.patch_list.empty()},
      session.node);
  deliver(targets, request.output.quiet,
          [&](OutputFormat format) { return render_size(format, session.context, sized); });
  write_papers(request, sized.plan);
  print_warnings(warnings_of(session.context.warnings, sized.plan.warnings), targets);
  return sized.plan.holds() ? ExitCode::ok : ExitCode::impossible;
}

}  // namespace clusterwright
