// SPDX-License-Identifier: Apache-2.0
/// Traffic that the rank classes of a step put on the parts of the fabric that can be short.
///
/// Evenly spread traffic on a fat tree loads all uplinks of a group alike: FabricTiers describe it exactly, at no cost.
/// Everything else is laid on the routed graph, cable by cable (graph_loads.hpp). Both agree where both apply
/// (tests/laws/one_network_test.cpp).
#pragma once

#include <compare>
#include <map>

#include "models/lowering/stream_groups.hpp"
#include "models/plan/placement.hpp"
#include "topology/fabrics/fabric_tiers.hpp"

namespace clusterwright {

class RankClasses;

/// One direction of the links that leave one group of a tier, or of one link of the routed graph.
struct UplinkBundle {
  static constexpr int of_graph = -1;

  int tier = 0;   ///< of FabricTiers, or of_graph
  int group = 0;  ///< number of the group, or LinkId
  bool up = true;

  bool is_link() const { return tier == of_graph; }
  auto operator<=>(const UplinkBundle&) const = default;
};

/// Uplinks with the same load, as far as a step graph tells them apart.
using UplinkId = Id<struct UplinkTag>;

struct StreamLoad {
  int count = 0;      ///< concrete transfers of the class that cross the bundle
  double passes = 1;  ///< bytes of one transfer that cross it, per byte of its wire: a ring may leave a group more than
                      ///< once, an exchange sends only a part of the traffic that leaves the domain
  auto operator<=>(const StreamLoad&) const = default;
};

using BundleLoad = std::map<ClassStream, StreamLoad>;
using UplinkLoads = std::map<UplinkBundle, BundleLoad>;

UplinkLoads uplink_loads(const RankClasses& classes, const Placement& placement, const FabricTiers& fabric);

}  // namespace clusterwright
