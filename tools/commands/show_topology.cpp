// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/show_topology.hpp"

#include "sim/diagnostic.hpp"
#include "sim/field_table.hpp"
#include "tools/output/network_picture.hpp"
#include "tools/output/topology_report.hpp"
#include "topology/routing/faults.hpp"

namespace clusterwright {

namespace {

void fail(std::optional<Network>& network, const std::vector<std::string>& failures) {
  for (const std::string& text : failures) {
    const Fault fault = parse_fault(text);
    if (!network)
      throw ConfigError(Diagnostic{
          "E0321", "the cluster has no network, so \"" + text + "\" cannot fail", {}, "", "leave out --fail"});
    apply_fault(network->graph, fault);
  }
}

}  // namespace

Shown show_topology(const Cluster& cluster, const std::vector<std::string>& failures, bool draws) {
  std::optional<Network> network = network_of(cluster);
  TopologyReport report{cluster, {}, failures, {}};
  if (network) report.whole = topology_facts(cluster, *network);
  fail(network, failures);
  if (!failures.empty()) report.after = topology_facts(cluster, *network);
  Shown shown{cluster.spec.name, topology_json(report), topology_tables(report), {}};
  shown.json.set("cluster", encode_record(cluster.spec));
  if (draws) shown.dot = graphviz_text(network_picture(cluster, network ? &network->graph : nullptr));
  return shown;
}

}  // namespace clusterwright
