// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/unstated_routing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/settling/step_what_ifs.hpp"

namespace clusterwright {

bool routing_is_open(const Cluster& cluster) {
  const FabricSpec& fabric = cluster.spec.fabric;
  if (fabric.routing || fabric.kind != FabricKind::fat_tree || !cluster.has_network()) return false;
  const auto& tiers = cluster.fabric.tiers();
  return tiers.size() > 1 && cluster.spec.accelerators > tiers.front().accelerators;
}

std::optional<Cluster> hashed_cluster(const Cluster& cluster) {
  if (!routing_is_open(cluster)) return {};
  Cluster hashed = cluster;
  hashed.spec.fabric.routing = Routing::hash;
  return resized(hashed, hashed.spec.accelerators);
}

Seconds high_with_hashing(Seconds time, Seconds high, Seconds hashed) {
  const double by_routing = std::max(0.0, std::log(hashed / time));
  return time * std::exp(std::hypot(std::log(high / time), by_routing));
}

std::string routing_sentence(const Cluster& cluster, std::string_view what, Seconds time, Seconds hashed) {
  constexpr double negligible = 5e-3;
  if (hashed < (1 + negligible) * time) return {};
  return fmt::format(
      "the fabric does not state its routing: traffic is spread evenly over all paths; with {} hashed flows for each "
      "pair "
      "of NICs {} would take {:.1f} % longer, which the interval includes (cluster.fabric.routing)",
      cluster.spec.fabric.queue_pairs, what, 100 * (hashed / time - 1));
}

std::optional<Seconds> hashed_step(const Scenario& scenario, const Plan& plan) {
  const std::optional<Cluster> cluster = hashed_cluster(scenario.cluster);
  if (!cluster) return {};
  Scenario hashed = scenario;
  hashed.cluster = *cluster;
  return to_seconds(time_step(hashed, plan).end);
}

}  // namespace clusterwright
