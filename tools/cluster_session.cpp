// SPDX-License-Identifier: Apache-2.0
#include "tools/cluster_session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/job/scenario_loader.hpp"
#include "models/job/scenario_source.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "tools/config_kinds.hpp"
#include "topology/fabrics/fabric.hpp"
#include "topology/routing/faults.hpp"

namespace clusterwright {

namespace fs = std::filesystem;

namespace {

/// Setting of a cluster, whose path may also begin with "cluster" as it does in `run`.
/// @throws ConfigError E0402 for a setting of what only `run` and `scale` read
std::string cluster_setting(const std::string& setting) {
  const std::string first = setting.substr(0, setting.find_first_of(".="));
  if (first == "cluster" && setting.size() > first.size() && setting[first.size()] == '.')
    return setting.substr(first.size() + 1);
  if (first == "job" || first == "transformer" || first == "parameters" || first == "steps" || first == "prices") {
    const auto source = std::make_shared<const SourceText>("--set", setting);
    throw ConfigError({"E0402",
                       fmt::format("this command reads a cluster only; it reads no {}", first),
                       {Place{source, 0, first.size(), ""}},
                       "",
                       "set a field of the cluster: cluster.accelerators=64"});
  }
  return setting;
}

/// The cluster of the document, references resolved and settings applied; `pointer` says where in its file it stands.
JsonValue cluster_document(JsonValue document, const std::vector<std::string>& settings, std::string& pointer,
                           const ReferenceReader& read) {
  const ConfigKind kind = kind_of(document);
  if (kind != ConfigKind::cluster && !holds_scenario(kind))
    throw ConfigError({Diagnostic{"E0105",
                                  "neither a cluster nor a scenario",
                                  {document.place("")},
                                  "",
                                  "give a file of configs/clusters or configs/scenarios"}});
  // A cluster file is read as the cluster of a scenario that has nothing else.
  if (kind == ConfigKind::cluster) document = JsonValue::object({{"cluster", document}});
  resolve_references(document, scenario_spec(), read);
  for (const std::string& setting : settings) {
    const std::string plain = cluster_setting(setting);
    const bool whole = plain.starts_with("cluster=");
    JsonValue* cluster = document.find("cluster");
    apply_setting(whole || !cluster ? document : *cluster,
                  whole || !cluster ? scenario_spec() : spec_of(ConfigKind::cluster), plain, read);
  }
  const JsonValue* given = document.find("cluster");
  if (!given)
    throw ConfigError(
        {"E0104", "the key \"cluster\" is missing", {document.place("")}, "", "it describes the machine"});
  const JsonValue cluster = *given;
  pointer = kind != ConfigKind::cluster && cluster.source == document.source ? "/cluster" : "";
  return cluster;
}

Routing usual_routing(const FabricSpec& spec) {
  if (spec.routing) return *spec.routing;
  const bool dragonfly = spec.kind == FabricKind::dragonfly || spec.kind == FabricKind::dragonfly_plus;
  if (dragonfly) return Routing::adaptive;
  return spec.transport == Transport::infiniband ? Routing::spray : Routing::hash;
}

CollectiveSet read_collective_set(const fs::path& path, std::vector<InputFile>& inputs) {
  const JsonValue document = read_input(path, inputs);
  if (document.find("gemm")) return collective_set(decode_record<ParameterSet>(document));
  return decode_record<CollectiveSet>(document);
}

/// Files of a folder, by name.
std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

bool names(const JsonValue& document, const std::string& accelerator) {
  const auto is = [&](const JsonValue& value) { return value.is(JsonKind::text) && value.as_text() == accelerator; };
  if (const JsonValue* own = document.find("accelerator"); own && is(*own)) return true;
  const JsonValue* siblings = document.find("also_for");
  return siblings && std::any_of(siblings->elements().begin(), siblings->elements().end(), is);
}

}  // namespace

ClusterSession open_cluster(const fs::path& path, const std::vector<std::string>& settings) {
  ClusterSession session;
  session.catalog = load_catalog(configs_directory() / "parts");
  const ReferenceReader read = [&](const fs::path& file) { return read_input(file, session.inputs); };
  const fs::path file = named_file(path.string(), {"clusters", "scenarios"});
  session.document = cluster_document(read_input(file, session.inputs), settings, session.pointer, read);
  session.cluster =
      build_cluster(decode_record<ClusterSpec>(session.document), session.catalog, session.document, session.pointer);
  return session;
}

std::optional<RoutedNetwork> route_network(const ClusterSession& session, const NetworkRequest& request) {
  const Cluster& cluster = session.cluster;
  if (!cluster.has_network()) return std::nullopt;
  const FabricSpec& fabric = cluster.spec.fabric;
  const NetworkSize size{cluster.nodes(), cluster.node_accelerators, cluster.nics, cluster.nic_bandwidth};
  Network network = build_network(fabric, size, fabric_ports(fabric, session.catalog));
  for (const std::string& failure : request.failures) apply_fault(network.graph, parse_fault(failure));
  auto routes = make_routes(network.graph, network.torus_sides, network.groups);
  const PathPolicy policy{request.routing.value_or(usual_routing(fabric)), request.queue_pairs, request.seed};
  return RoutedNetwork{std::move(network.graph), std::move(network.groups), std::move(network.torus_sides),
                       std::move(routes), policy};
}

CollectiveSet load_collective_set(const std::string& accelerator, const std::string& file,
                                  std::vector<InputFile>& inputs) {
  if (!file.empty()) return read_collective_set(named_file(file, {"parameters"}), inputs);
  const fs::path folder = configs_directory() / "parameters";
  for (const fs::path& path : json_files(folder))
    if (names(read_json_file(path), accelerator)) return read_collective_set(path, inputs);
  return read_collective_set(folder / "generic.json", inputs);
}

}  // namespace clusterwright
