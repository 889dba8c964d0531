// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <stdexcept>

#include "sim/diagnostic.hpp"
#include "topology/fabrics/network_assembly.hpp"

namespace clusterwright {

NetworkAssembly::NetworkAssembly(const FabricSpec& fabric, const NetworkSize& all_nodes,
                                 const FabricPorts& switch_ports)
    : spec(fabric),
      ports(switch_ports),
      sites(site_count(fabric)),
      size(site_size(fabric, all_nodes)),
      network{NetworkGraph(all_nodes.nodes, all_nodes.nics_per_node, fabric.hop_latency.value), {}, {}} {}

void NetworkAssembly::expect_cables(long long per_site) {
  const auto there = static_cast<long long>(network.graph.cables());
  const long long all = per_site > most_cables ? per_site : there + per_site * sites;
  if (all > most_cables)
    throw ConfigError(Diagnostic{"E0501",
                                 fmt::format("a network of {} cables is too large to be built", all),
                                 {},
                                 "",
                                 fmt::format("at most {} cables", most_cables)});
  network.graph.reserve(static_cast<std::size_t>(all));
}

VertexId NetworkAssembly::add_switches(const std::string& tier, long long per_site, int switch_ports) {
  const std::size_t number =
      network.graph.add_switches(tier, static_cast<std::uint32_t>(per_site * sites), switch_ports);
  return network.graph.tiers()[number].first;
}

void attach_endpoints(NetworkAssembly& assembly, int site, VertexId first_switch, const EndpointSlots& slots,
                      std::size_t kind) {
  const NetworkSize& size = assembly.size;
  if (size.nodes > slots.nodes(size.nics_per_node))
    throw std::invalid_argument("a fabric must have a port for every NIC");
  const long long nodes_per_group = slots.nodes_per_group(size.nics_per_node);
  for (int node = 0; node < size.nodes; ++node) {
    const long long before = node % nodes_per_group * size.nics_per_node;
    const long long group_begin = node / nodes_per_group * slots.switches_per_group;
    for (int nic = 0; nic < size.nics_per_node; ++nic) {
      const long long at = group_begin + (before + nic) / slots.per_switch;
      assembly.connect(assembly.endpoint(site, node, nic), first_switch + at, kind);
    }
  }
}

}  // namespace clusterwright
