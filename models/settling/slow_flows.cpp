// SPDX-License-Identifier: Apache-2.0
#include "models/settling/slow_flows.hpp"

#include <algorithm>

namespace clusterwright {

namespace {

constexpr double part_ends[] = {0, 0.5, 0.9, 0.99, 0.999, 1};

}  // namespace

Picoseconds lost_to_slow_flows(const Scenario& scenario, Picoseconds alike,
                               const std::function<Picoseconds(const Scenario&)>& end_of) {
  const Cluster& cluster = scenario.cluster;
  if (!cluster.spec.fabric.tail || !cluster.has_network()) return {};
  Scenario slower = scenario;
  double lost = 0;
  for (std::size_t k = 1; k < std::size(part_ends); ++k) {
    const TailPart part{part_ends[k - 1], part_ends[k]};
    slower.cluster.slow_flows = part;
    lost += part.share() * to_seconds(end_of(slower) - alike).in(second);
  }
  return to_picoseconds(std::max(lost, 0.0) * second);
}

}  // namespace clusterwright
