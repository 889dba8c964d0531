// SPDX-License-Identifier: Apache-2.0
/// A network under construction, which the builder of each kind of fabric fills.
#pragma once

#include <string>
#include <vector>

#include "topology/fabrics/network_size.hpp"
#include "topology/graph/network_graph.hpp"

namespace clusterwright {

inline constexpr long long most_cables = 1 << 25;

/// Switches that the border of a site attaches to.
struct TopSwitches {
  VertexId first;           ///< first one of site 0
  std::uint32_t count = 0;  ///< number in one site; site s begins at first + s * count_per_site
  std::uint32_t count_per_site = 0;
  int rails = 1;  ///< equal blocks of these switches that never meet
};

/// A network under construction. All sites have the same shape and share the tiers of switches, site after site.
class NetworkAssembly {
 public:
  /// @param all_nodes  nodes of all sites together
  NetworkAssembly(const FabricSpec& fabric, const NetworkSize& all_nodes, const FabricPorts& switch_ports);

  /// Makes room for further cables of all sites, of which each has `per_site`.
  /// @throws ConfigError E0501 beyond most_cables
  void expect_cables(long long per_site);
  /// @return first of the new switches, of which every site has `per_site`
  VertexId add_switches(const std::string& tier, long long per_site, int ports);
  std::size_t add_kind(std::string name, BytesPerSecond rate, Seconds extra_latency = {}) {
    return network.graph.add_link_kind({std::move(name), rate, extra_latency});
  }
  void connect(VertexId a, VertexId b, std::size_t kind, int cables = 1) {
    for (int i = 0; i < cables; ++i) network.graph.connect(a, b, kind);
  }
  /// NIC `nic` of node `node` of a site.
  VertexId endpoint(int site, int node, int nic) const {
    return network.graph.endpoint(NodeId(site * size.nodes + node), nic);
  }
  BytesPerSecond link_rate() const { return switch_link_rate(spec, size, ports); }

  const FabricSpec& spec;
  const FabricPorts& ports;
  const int sites;
  const NetworkSize size;  ///< nodes of one site
  Network network;
};

/// Plugs the NICs of a site into its switches, in order.
/// @throws std::invalid_argument if there are more NICs than slots
void attach_endpoints(NetworkAssembly& assembly, int site, VertexId first_switch, const EndpointSlots& slots,
                      std::size_t kind);

}  // namespace clusterwright
