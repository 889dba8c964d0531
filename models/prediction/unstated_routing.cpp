// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/unstated_routing.hpp"

#include "models/settling/step_what_ifs.hpp"

namespace clusterwright {

bool routing_is_open(const Cluster& cluster) {
  const FabricSpec& fabric = cluster.spec.fabric;
  if (fabric.routing || fabric.kind != FabricKind::fat_tree || !cluster.has_network() || cluster.mixed()) return false;
  const auto& tiers = cluster.fabric.tiers();
  return tiers.size() > 1 && cluster.spec.accelerators > tiers.front().accelerators;
}

std::optional<Seconds> hashed_step(const Scenario& scenario, const Plan& plan) {
  if (!routing_is_open(scenario.cluster)) return {};
  Scenario hashed = scenario;
  hashed.cluster.spec.fabric.routing = Routing::hash;
  hashed.cluster = resized(hashed.cluster, hashed.cluster.spec.accelerators);
  return to_seconds(time_step(hashed, plan).end);
}

}  // namespace clusterwright
