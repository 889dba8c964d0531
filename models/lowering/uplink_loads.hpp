// SPDX-License-Identifier: Apache-2.0
/// Traffic that the rank classes of a step put on the uplinks above tapered tiers.
#pragma once

#include <compare>
#include <map>

#include "models/plan/placement.hpp"
#include "sim/step_graph.hpp"
#include "topology/fabrics/fabric_tiers.hpp"

namespace clusterwright {

class RankClasses;

/// One direction of the links that leave one group of a tier.
struct UplinkBundle {
  int tier = 0;
  int group = 0;
  bool up = true;
  auto operator<=>(const UplinkBundle&) const = default;
};

/// Uplinks with the same load, as far as a step graph tells them apart.
using UplinkId = Id<struct UplinkTag>;

/// Streams of traffic: pipeline messages one way or the other, a ring of all replicas, the rings of those that hold
/// the same shard (HSDP), tokens on their way to experts, or the rings of those that hold the same experts.
enum class Stream : int { forward, backward, data_ring, mirror_ring, experts, expert_ring };
inline constexpr std::size_t stream_count = 6;

/// Stream of one rank class.
struct ClassStream {
  Stream stream;
  RankClassId rank_class;
  auto operator<=>(const ClassStream&) const = default;
};

struct StreamLoad {
  int count = 0;      ///< concrete transfers of the class that cross the bundle
  double passes = 1;  ///< times that one transfer crosses it: a ring may leave a group more than once, an exchange
                      ///< sends only a part of the traffic that leaves the domain
  auto operator<=>(const StreamLoad&) const = default;
};

using BundleLoad = std::map<ClassStream, StreamLoad>;
using UplinkLoads = std::map<UplinkBundle, BundleLoad>;

UplinkLoads uplink_loads(const RankClasses& classes, const Placement& placement, const FabricTiers& fabric);

}  // namespace clusterwright
