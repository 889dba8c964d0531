// SPDX-License-Identifier: Apache-2.0
#include "tools/cluster_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "models/job/node_cluster.hpp"
#include "models/job/parameter_choice.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/job/scenario_source.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "tools/config_kinds.hpp"
#include "tools/typed_text.hpp"
#include "topology/cluster/like_parts.hpp"
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

/// Cluster of a document, references resolved and settings applied.
struct GivenCluster {
  JsonValue document;
  std::string pointer;  ///< place in its file
  BlockRequest blocks;  ///< accelerators of each domain that the job of a scenario states
};

BlockRequest blocks_of_job(const JsonValue& document) {
  BlockRequest out;
  if (const JsonValue* used = document.at_pointer("/job/accelerators_per_domain"); used && used->is(JsonKind::integer))
    out.used = static_cast<int>(std::clamp<std::int64_t>(used->as_integer(), 1, std::numeric_limits<int>::max()));
  return out;
}

GivenCluster cluster_document(JsonValue document, const std::vector<std::string>& settings,
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
  GivenCluster out;
  out.blocks = blocks_of_job(document);
  const JsonValue* given = document.find("cluster");
  if (!given)
    throw ConfigError(
        {"E0104", "the key \"cluster\" is missing", {document.place("")}, "", "it describes the machine"});
  out.document = *given;
  out.pointer = kind != ConfigKind::cluster && given->source == document.source ? "/cluster" : "";
  return out;
}

CollectiveSet read_collective_set(const fs::path& path, std::vector<InputFile>& inputs) {
  const JsonValue document = read_input(path, inputs);
  if (document.find("gemm")) return collective_set(decode_record<ParameterSet>(document));
  return decode_record<CollectiveSet>(document);
}

/// @param document  of a cluster or a scenario; its inputs are in the session
ClusterSession build_session(ClusterSession session, JsonValue document, const std::vector<std::string>& settings) {
  const ReferenceReader read = [&](const fs::path& file) { return read_input(file, session.inputs); };
  GivenCluster given = cluster_document(std::move(document), settings, read);
  session.document = std::move(given.document);
  session.pointer = std::move(given.pointer);
  fill_in_like(session.document, configs_directory() / "parts", session.pointer);
  session.cluster = build_cluster(decode_record<ClusterSpec>(session.document), session.catalog, session.document,
                                  session.pointer, given.blocks);
  return session;
}

ClusterSession session_with_catalog() {
  ClusterSession session;
  session.catalog = load_catalog(configs_directory() / "parts");
  return session;
}

}  // namespace

ClusterSession open_cluster(const fs::path& path, const std::vector<std::string>& settings) {
  ClusterSession session = session_with_catalog();
  JsonValue document = read_input(named_file(path.string(), {"clusters", "scenarios"}), session.inputs);
  return build_session(std::move(session), std::move(document), settings);
}

ClusterSession open_cluster(const ClusterName& name, const std::vector<std::string>& settings) {
  if (name.on.empty()) return open_cluster(fs::path(name.file), settings);
  if (!name.file.empty())
    throw option_error("--on", name.on, "names a machine, and so does " + name.file, "leave out one of the two");
  if (name.gpus.empty())
    throw option_error("--on", name.on, "nothing says how many accelerators there are", "add --gpus N");
  ClusterSession session = session_with_catalog();
  const int accelerators = parse_count({"--gpus", name.gpus});
  const NodePart& node = named_node(name.on, session.catalog, accelerators);
  const std::string remark = slice_remark(name.on, node.id, session.catalog);
  JsonValue document = cluster_of_nodes(node, accelerators);
  document.set("$schema", "cluster.schema.json");
  ClusterSession built = build_session(std::move(session), std::move(document), settings);
  if (!remark.empty()) built.cluster.remarks.push_back(remark);
  return built;
}

std::optional<RoutedNetwork> route_network(const ClusterSession& session, const NetworkRequest& request) {
  const Cluster& cluster = session.cluster;
  if (!cluster.has_network()) return std::nullopt;
  FabricSpec fabric = cluster.spec.fabric;
  if (request.routing) fabric.routing = request.routing;
  PathPolicy policy = path_policy(fabric);
  policy.queue_pairs = request.queue_pairs.value_or(policy.queue_pairs);
  policy.seed = request.seed.value_or(policy.seed);
  return route_network(fabric, cluster.network_size(), cluster.ports, request.failures, policy);
}

CollectiveSet load_collective_set(const AcceleratorPart& accelerator, const std::string& file,
                                  std::vector<InputFile>& inputs) {
  if (file.empty()) return read_collective_set(parameter_file(accelerator), inputs);
  CollectiveSet set = read_collective_set(named_file(file, {"parameters"}), inputs);
  check_serves(set, accelerator, option_place("--parameters", file));
  return set;
}

}  // namespace clusterwright
