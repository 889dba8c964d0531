// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/tail_error.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

/// Mean of the slowest flow if none took longer than the last stated quantile.
double slowest_as_stated(const FlowTail& tail, double flows) {
  const double beyond = 1 / tail.stated_flows(), within = std::pow(1 - beyond, flows);
  const double most = tail.quantile(beyond) / tail.mean();
  return within > 1e-9 ? within * tail.slowest(flows, {0, within}) + (1 - within) * most : most;
}

}  // namespace

double tail_error(const Scenario& scenario, double lost) {
  const Cluster& cluster = scenario.cluster;
  if (!cluster.spec.fabric.tail || lost <= 0) return 0;
  const FlowTail tail(*cluster.spec.fabric.tail);
  const double flows = cluster.blocks.accelerators, slower = tail.slowest(flows) - 1;
  if (slower <= 0) return 0;
  const double continued = std::clamp(1 - (slowest_as_stated(tail, flows) - 1) / slower, 0.0, 1.0);
  return continued * lost / 2;
}

}  // namespace clusterwright
