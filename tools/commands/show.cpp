#include <fmt/format.h>

#include "models/scenario.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "tools/commands/commands.hpp"
#include "tools/config_kinds.hpp"
#include "tools/output/escape.hpp"
#include "tools/output/facts_table.hpp"
#include "tools/output/number_text.hpp"
#include "tools/output/result_context.hpp"
#include "tools/scenario_loader.hpp"
#include "topology/catalog.hpp"

namespace clusterwright {

namespace {

Column words(std::string key, std::string title) {
  return {std::move(key), std::move(title), "", 1, -1, Alignment::left};
}

/// What a file says once defaults are filled in: as data, and as tables under a heading.
struct Shown {
  std::string heading;
  JsonValue json;
  std::vector<ResultTable> tables;
};

int groups_of(const Cluster& cluster, int accelerators_below) {
  return (cluster.spec.accelerators + accelerators_below - 1) / accelerators_below;
}

ResultTable tier_table(const Cluster& cluster) {
  ResultTable table{"Fabric, nearest to the nodes first",
                    {words("tier", "Tier"),
                     {"gpus_below", "GPUs below", ""},
                     {"groups", "Groups", ""},
                     {"uplink_gb_per_s", "Uplinks of a group, one direction", "GB/s"},
                     words("tapered", "Tapered")},
                    {}};
  for (const FabricTiers::Tier& tier : cluster.fabric.tiers())
    table.rows.push_back({tier.name, tier.accelerators, groups_of(cluster, tier.accelerators),
                          tier.uplink_capacity.in(gigabyte_per_second), tier.tapered ? "yes" : "no"});
  return table;
}

JsonValue cluster_counts(const Cluster& cluster) {
  const BytesPerSecond own = cluster.network_per_accelerator();
  JsonValue tiers = JsonValue::list();
  for (const FabricTiers::Tier& tier : cluster.fabric.tiers())
    tiers.push_back(JsonValue::object({{"name", tier.name},
                                       {"gpus_below", tier.accelerators},
                                       {"groups", groups_of(cluster, tier.accelerators)},
                                       {"uplink_gb_per_s", tier.uplink_capacity.in(gigabyte_per_second)},
                                       {"tapered", tier.tapered}}));
  return JsonValue::object(
      {{"gpus", cluster.spec.accelerators},
       {"nodes", cluster.nodes()},
       {"nics", cluster.nodes() * cluster.nics},
       {"scale_up_gb_per_s", cluster.scale_up_bandwidth.in(gigabyte_per_second)},
       {"network_gb_per_s_per_gpu", own.in(gigabyte_per_second)},
       {"bisection_gb_per_s", cluster.fabric.bisection(cluster.spec.accelerators, own).in(gigabyte_per_second)},
       {"tiers", tiers}});
}

Shown show_cluster(const Cluster& cluster) {
  const JsonValue counts = cluster_counts(cluster);
  const auto gb = [&](std::string_view key) { return significant_text(counts.at(key).as_number()) + " GB/s"; };
  ResultTable facts{"", {words("what", ""), words("value", "")}, {}};
  facts.rows = {{"GPUs", fmt::format("{} x {}", count_text(cluster.spec.accelerators), cluster.accelerator.id)},
                {"Nodes", fmt::format("{} of {} GPUs and {} NICs", count_text(cluster.nodes()),
                                      cluster.node_accelerators, cluster.nics)},
                {"Scale-up per GPU", gb("scale_up_gb_per_s") + ", one direction"},
                {"Network per GPU", gb("network_gb_per_s_per_gpu") + ", one direction"},
                {"Bisection", gb("bisection_gb_per_s") + ", one direction"}};
  JsonValue json = JsonValue::object({{"counts", counts}, {"cluster", encode_record(cluster.spec)}});
  return {cluster.spec.name, std::move(json), {facts, tier_table(cluster)}};
}

Shown show_scenario(const ShowRequest& request) {
  ScenarioOptions options{request.settings, {}};
  if (!request.parameters.empty()) options.parameters = request.parameters;
  const Scenario scenario = load_scenario(request.file, options);
  if (request.topology) return show_cluster(scenario.cluster);
  ResultTable table{"", {words("path", "Field"), words("value", "Value"), words("origin", "Origin")}, {}};
  JsonValue list = JsonValue::list();
  for (const Origin& o : origins(scenario)) {
    table.rows.push_back({o.path, o.value, o.origin});
    list.push_back(JsonValue::object({{"path", o.path}, {"value", o.value}, {"origin", o.origin}}));
  }
  JsonValue json = JsonValue::object({{"scenario", effective_scenario(scenario)}, {"origins", list}});
  return {fmt::format("{} on {}", scenario.transformer.name, scenario.cluster.spec.name), std::move(json), {table}};
}

Shown show_transformer(const JsonValue& document) {
  const auto model = decode_record<Transformer>(document);
  const double count = parameters(model);
  ResultTable size{
      "", {words("what", ""), words("value", "")}, {{"Parameters", count_text(static_cast<long long>(count))}}};
  JsonValue json = JsonValue::object({{"parameters", count}, {"transformer", encode_record(model)}});
  return {model.name, json, {size, facts_table(json.at("transformer"))}};
}

template <class T>
Shown show_record(const JsonValue& document) {
  const JsonValue json = encode_record(decode_record<T>(document));
  return {"", json, {facts_table(json)}};
}

Shown show_file(const ShowRequest& request) {
  const JsonValue document = read_json_file(request.file);
  switch (kind_of(document)) {
    case ConfigKind::scenario:
      return show_scenario(request);
    case ConfigKind::cluster:
      return show_cluster(
          build_cluster(decode_record<ClusterSpec>(document), load_catalog(configs_directory() / "parts"), document));
    case ConfigKind::transformer:
      return show_transformer(document);
    case ConfigKind::stack:
      return show_record<SoftwareStack>(document);
    case ConfigKind::parameters:
      return show_record<ParameterSet>(document);
    case ConfigKind::collectives:
      return show_record<CollectiveSet>(document);
    default:
      return show_record<Catalog>(document);
  }
}

std::string render_as(OutputFormat format, const Shown& shown) {
  if (format == OutputFormat::json) return write_json(shown.json) + "\n";
  if (format == OutputFormat::csv) return render_csv(shown.tables.back());
  const bool markdown = format == OutputFormat::markdown;
  std::string text;
  if (!shown.heading.empty())
    text = markdown ? "# " + markdown_text(shown.heading) + "\n" : printable(shown.heading) + "\n";
  for (const ResultTable& table : shown.tables) {
    if (!text.empty()) text += "\n";
    text += markdown ? render_markdown(table) : render_text(table);
  }
  return text;
}

}  // namespace

ExitCode show(const ShowRequest& request) {
  const auto targets = output_targets(
      request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv, OutputFormat::markdown});
  const Shown shown = show_file(request);
  deliver(targets, request.output.quiet, [&](OutputFormat format) { return render_as(format, shown); });
  return ExitCode::ok;
}

}  // namespace clusterwright
