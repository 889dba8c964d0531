// SPDX-License-Identifier: Apache-2.0
/// Nodes that a network joins, and ports of the switches that it is made of.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "topology/fabrics/fabric_spec.hpp"

namespace clusterwright {

struct Catalog;  // topology/parts/catalog.hpp

/// Nodes that a network joins; all alike.
struct NetworkSize {
  int nodes = 1;
  int accelerators_per_node = 8;
  int nics_per_node = 8;    ///< 0: no network
  BytesPerSecond nic_rate;  ///< rate of one NIC, one direction

  /// NIC bandwidth that one accelerator has to itself, one direction.
  BytesPerSecond per_accelerator() const { return nic_rate * nics_per_node / accelerators_per_node; }
};

/// Ports of the switch parts that a fabric names; 0 where none is named or the catalog does not know it.
struct FabricPorts {
  std::vector<int> tiers;                       ///< ports by tier of a fat tree
  int direct_switches = 0;                      ///< ports of the switches of other kinds
  std::vector<BytesPerSecond> tier_rates = {};  ///< rate of such a port, one direction; zero where it is not known
  BytesPerSecond direct_rate = {};

  /// Rate of the ports of a tier; zero where it is not known.
  BytesPerSecond tier_rate(std::size_t tier) const {
    return tier < tier_rates.size() ? tier_rates[tier] : BytesPerSecond{};
  }
  /// Rate of the ports that NICs plug into; zero where it is not known.
  BytesPerSecond endpoint_rate(FabricKind kind) const {
    return kind == FabricKind::fat_tree ? tier_rate(0) : direct_rate;
  }
};
FabricPorts fabric_ports(const FabricSpec& spec, const Catalog& catalog);

/// Latency of one switch and its cable: as given; else that of the slowest switch that the fabric names, else of a
/// usual one of its transport, with 10 m of fibre. The source of the result says which.
Sourced<Seconds> hop_latency(const FabricSpec& spec, const Catalog& catalog);

/// Nodes of one site; every site has equally many.
/// @throws std::invalid_argument if the sites do not divide the nodes
NetworkSize site_size(const FabricSpec& spec, NetworkSize all);
int site_count(const FabricSpec& spec);

/// Rate of a cable between two switches, one direction: `link_rate`, else that of the NICs; at most that of the ports
/// at both ends.
BytesPerSecond switch_link_rate(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports);
/// Likewise for a cable from a tier of a fat tree to the next one.
BytesPerSecond uplink_rate(const FabricSpec& spec, const NetworkSize& size, const FabricPorts& ports, std::size_t tier);

/// The slower of a rate and the limits that are known; zero is not known.
BytesPerSecond least_rate(BytesPerSecond rate, std::initializer_list<BytesPerSecond> limits);

/// Ports of one site for NICs. NICs fill the switches in order; no node straddles two groups of switches, so a few
/// ports of a group may stay empty.
struct EndpointSlots {
  int per_switch = 0;
  long long switches_per_group = 1;
  long long groups = 1;

  long long nodes_per_group(int nics) const { return switches_per_group * per_switch / nics; }
  long long nodes(int nics) const { return groups * nodes_per_group(nics); }
};

}  // namespace clusterwright
