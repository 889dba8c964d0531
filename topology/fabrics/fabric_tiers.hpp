// SPDX-License-Identifier: Apache-2.0
/// Any fabric as nested groups of accelerators, without a vertex for each.
#pragma once

#include <string>
#include <vector>

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

}  // namespace clusterwright
