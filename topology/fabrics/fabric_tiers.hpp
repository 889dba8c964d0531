/// Any fabric as nested groups of accelerators, symbolically: no vertex per accelerator.
#pragma once

#include <string>
#include <vector>

#include "topology/fabrics/network_size.hpp"

namespace clusterwright {

/// Groups of accelerators nest: all under one leaf, all under one pod, all.
///
/// Exact for fat trees. Of the other kinds it keeps what limits a group of consecutive nodes: the cables that leave it,
/// as if they led to a switch that joins all groups. How traffic shares the cables inside a group is left out, and so
/// is that a direct cable between two groups serves these two only; the graph (topology/network) has both.
class FabricTiers {
 public:
  struct Tier {
    std::string name;
    int accelerators = 0;            ///< below one full group
    BytesPerSecond uplink_capacity;  ///< of one full group, one direction; zero at the top
    bool tapered = false;            ///< can carry less up than its accelerators can send
    /// Latency of switches and cables between the two accelerators farthest apart that meet in this tier.
    Seconds turn_latency;
  };

  FabricTiers() = default;
  FabricTiers(std::vector<Tier> tiers, Seconds hop_latency) : tiers_(std::move(tiers)), hop_latency_(hop_latency) {}

  const std::vector<Tier>& tiers() const { return tiers_; }

  /// Group of accelerator `rank` at `tier`; ranks are numbered node by node, leaf by leaf.
  int group_of(int rank, std::size_t tier) const { return rank / tiers_[tier].accelerators; }

  /// The lowest tier whose group holds both; the top one joins all.
  std::size_t meeting_tier(int a, int b) const;

  /// Latency of the switches and cables between two accelerators of different nodes.
  Seconds latency(int a, int b) const;
  /// The same between neighbouring nodes; one hop without tiers.
  Seconds least_latency() const { return tiers_.empty() ? hop_latency_ : tiers_[0].turn_latency; }
  Seconds hop_latency() const { return hop_latency_; }

  /// What the lower half of the first `accelerators` ranks can send to the upper half at once, one direction; links
  /// inside nodes do not count. In a fat tree no other equal halving can exchange less. Zero without tiers.
  /// @param accelerators     within the top group; of an odd number the upper half is larger
  /// @param per_accelerator  network bandwidth of one accelerator, one direction
  BytesPerSecond bisection(int accelerators, BytesPerSecond per_accelerator) const;

 private:
  /// What `accelerators` in a row, starting at a group of the tier below, can send into their group of `tier`.
  BytesPerSecond arriving(std::size_t tier, int accelerators, BytesPerSecond per_accelerator) const;

  std::vector<Tier> tiers_;
  Seconds hop_latency_;
};

}  // namespace clusterwright
