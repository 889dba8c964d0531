// SPDX-License-Identifier: Apache-2.0
/// Any fabric as nested groups of accelerators, without a vertex for each, and how a fabric adds them.
#pragma once

#include <string>
#include <vector>

#include "topology/fabrics/fabric_spec.hpp"
#include "topology/fabrics/network_size.hpp"
#include "topology/nodes/node_id.hpp"

namespace clusterwright {

/// Groups of accelerators nest: all under one leaf, all under one pod, all.
///
/// Exact for fat trees. For the other kinds it keeps what limits a group of consecutive nodes: the cables that leave
/// it, as if they led to a switch that joins all groups. It leaves out how traffic shares the cables inside a group,
/// and that a direct cable between two groups serves only these two; the graph (topology/graph) has both.
class FabricTiers {
 public:
  struct Tier {
    std::string name;
    int accelerators = 0;            ///< number below one full group
    BytesPerSecond uplink_capacity;  ///< uplinks of one full group, one direction; zero at the top
    bool tapered = false;            ///< whether uplinks carry less than the accelerators can send
    /// Latency of switches and cables between the two accelerators farthest apart that meet in this tier.
    Seconds turn_latency;
  };

  /// All but the rates.
  struct Shape {
    struct Tier {
      int accelerators = 0;
      bool tapered = false;
      Seconds turn_latency;
      bool operator==(const Tier&) const = default;
    };
    std::vector<Tier> tiers;
    Seconds hop_latency;
    bool operator==(const Shape&) const = default;
  };

  FabricTiers() = default;
  FabricTiers(std::vector<Tier> tiers, Seconds hop_latency) : tiers_(std::move(tiers)), hop_latency_(hop_latency) {}

  const std::vector<Tier>& tiers() const { return tiers_; }

  /// Number of the group of `tier` that an accelerator is in.
  int group_of(AcceleratorId accelerator, std::size_t tier) const {
    return static_cast<int>(accelerator.value) / tiers_[tier].accelerators;
  }

  /// Lowest tier whose group holds both; the top one joins all.
  std::size_t meeting_tier(AcceleratorId a, AcceleratorId b) const;

  /// Latency of the switches and cables between two accelerators of different nodes.
  Seconds latency(AcceleratorId a, AcceleratorId b) const;
  /// The same between neighbouring nodes; one hop without tiers.
  Seconds least_latency() const { return tiers_.empty() ? hop_latency_ : tiers_[0].turn_latency; }
  Seconds hop_latency() const { return hop_latency_; }
  Shape shape() const;
  /// The same groups, none tapered: distances alone.
  FabricTiers distances() const;

  /// Rate at which the lower half of the first `accelerators` can send to the upper half, one direction; links
  /// inside nodes do not count. In a fat tree no other equal halving can exchange less. Zero without tiers.
  /// @param accelerators     within the top group; of an odd number the upper half is larger
  /// @param per_accelerator  network bandwidth of one accelerator, one direction
  BytesPerSecond bisection(int accelerators, BytesPerSecond per_accelerator) const;

 private:
  /// Rate at which `accelerators` in a row, starting at a group of the tier below, can send into their group of `tier`.
  BytesPerSecond arriving(std::size_t tier, int accelerators, BytesPerSecond per_accelerator) const;

  std::vector<Tier> tiers_;
  Seconds hop_latency_;
};

/// Tiers of one site of a fabric, added by its kind from the nodes up.
class SiteTiers {
 public:
  /// @param one_site  nodes of one site
  SiteTiers(const FabricSpec& fabric, const NetworkSize& one_site, const FabricPorts& switch_ports)
      : spec(fabric), size(one_site), ports(switch_ports) {}

  /// @param uplink    capacity of one group, one direction
  /// @param switches  switches between the two nodes of a group that are farthest apart
  void add(std::string name, long long nodes, BytesPerSecond uplink, int switches);

  /// A group of switches with equally many NIC ports; left out where its edge would cut through a node.
  void add_switches(std::string name, long long switches, long long per_switch, double cables, int crossed);

  /// Group of all nodes.
  void add_top(long long nodes, int crossed);

  BytesPerSecond link_rate() const { return switch_link_rate(spec, size, ports); }

  const FabricSpec& spec;
  const NetworkSize& size;
  const FabricPorts& ports;
  std::vector<FabricTiers::Tier> tiers;
  int to_border = 1;  ///< switches from a node to the border of its site, the border switch not counted
};

/// Name of a group of a grid that fills so many of its axes: "switch", "line", "plane", "cube".
std::string grid_group(std::size_t axes);
/// Last side that is longer than 1; 0 where none is.
std::size_t last_axis(const std::vector<int>& sides);

}  // namespace clusterwright
