// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/step_prices.hpp"

namespace clusterwright {

namespace {

std::optional<Cluster> used_part(const Scenario& s) {
  if (!s.stack.network_cards || *s.stack.network_cards >= s.cluster.nics) return {};
  Cluster cluster = s.cluster;
  cluster.nics = *s.stack.network_cards;
  return cluster;
}

}  // namespace

StepPrices::StepPrices(const Scenario& s)
    : factors(step_factors(s.steps, s.stack, s.job, s.cluster.accelerator)),
      kernels(s.cluster.accelerator, s.parameters, s.stack, factors, s.job.precision),
      part(used_part(s)),
      links(part ? *part : s.cluster, s.parameters, factors.communication) {}

Watts power_beside(const Cluster& cluster, Watts idle_accelerator) {
  const Watts host = cluster.spec.node.host_power.value;
  if (cluster.blocks.idle() == 0) return host / cluster.node_accelerators;
  return (cluster.nodes() * host + cluster.blocks.idle() * idle_accelerator) / cluster.spec.accelerators;
}

}  // namespace clusterwright
