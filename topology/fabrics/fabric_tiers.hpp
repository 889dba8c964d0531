/// Two- and three-tier fat trees with taper, symbolically: no vertex per accelerator.
#pragma once

#include <string>
#include <vector>

#include "sim/quantity.hpp"

namespace clusterwright {

struct FabricSpec;  // topology/cluster_spec.hpp

/// Groups of accelerators nest: all under one leaf, all under one pod, all.
class FabricTiers {
 public:
  struct Tier {
    std::string name;
    int accelerators = 0;            ///< below one full group
    BytesPerSecond uplink_capacity;  ///< of one full group, one direction; zero at the top
    bool tapered = false;            ///< can carry less up than its accelerators can send
  };

  FabricTiers() = default;
  FabricTiers(std::vector<Tier> tiers, Seconds hop_latency) : tiers_(std::move(tiers)), hop_latency_(hop_latency) {}

  const std::vector<Tier>& tiers() const { return tiers_; }

  /// Group of accelerator `rank` at `tier`; ranks are numbered node by node, leaf by leaf.
  int group_of(int rank, std::size_t tier) const { return rank / tiers_[tier].accelerators; }

  /// The lowest tier whose group holds both; the top one joins all. Tier t is reached over t + 1 links up and as many
  /// down.
  std::size_t meeting_tier(int a, int b) const;

  /// Switches that a message crosses when it turns round at `tier`: 2 t + 1.
  static int switches_crossed(std::size_t tier) { return static_cast<int>(2 * tier + 1); }

  /// Latency of the switches and cables between two accelerators of different nodes.
  Seconds latency(int a, int b) const { return switches_crossed(meeting_tier(a, b)) * hop_latency_; }
  Seconds hop_latency() const { return hop_latency_; }

  /// What the lower half of the first `accelerators` ranks can send to the upper half at once, one direction; links
  /// inside nodes do not count. No other equal halving can exchange less. Zero without tiers.
  /// @param accelerators     within the top group; of an odd number the upper half is larger
  /// @param per_accelerator  network bandwidth of one accelerator, one direction
  BytesPerSecond bisection(int accelerators, BytesPerSecond per_accelerator) const;

 private:
  /// What `accelerators` in a row, starting at a group of the tier below, can send into their group of `tier`.
  BytesPerSecond arriving(std::size_t tier, int accelerators, BytesPerSecond per_accelerator) const;

  std::vector<Tier> tiers_;
  Seconds hop_latency_;
};

/// A group of tier t can send up what its accelerators send, divided by the tapers of tiers 0 to t.
/// @param network_per_accelerator  NIC bandwidth that one accelerator has to itself, one direction
FabricTiers make_fabric_tiers(const FabricSpec& spec, BytesPerSecond network_per_accelerator);

}  // namespace clusterwright
