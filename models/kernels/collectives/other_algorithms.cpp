#include "models/kernels/collectives/other_algorithms.hpp"

#include <algorithm>
#include <cmath>

#include "models/kernels/collectives/inner_curve.hpp"

namespace clusterwright {

namespace {

CollectiveCost between_nodes(CollectiveOp op, Algorithm algorithm, Bytes payload, const GroupShape& group,
                             const GroupLinks& links, const NetworkParameters& network) {
  CollectiveCost cost;
  cost.algorithm = algorithm;
  cost.crosses_nodes = true;
  cost.wire = ring_wire(op, payload, group.ranks());
  cost.rate =
      links.fabric_limit.value_or(group.ranks_per_node * links.network_per_rank * transport_share(links, network));
  return cost;
}

}  // namespace

CollectiveCost torus_cost(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                          Seconds pass, const NetworkParameters& network) {
  CollectiveCost cost = between_nodes(op, Algorithm::torus, payload, group, links, network);
  cost.latency = network.message_latency.value + passes(op) * pass;
  return cost;
}

CollectiveCost halving_doubling_cost(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                                     const CollectiveParameters& curve, const NetworkParameters& network) {
  CollectiveCost cost = between_nodes(op, Algorithm::halving_doubling, payload, group, links, network);
  const double stages = passes(op) * std::ceil(std::log2(static_cast<double>(group.nodes)));
  cost.latency = stages * (network.message_latency.value + links.switch_latency);
  if (group.ranks_per_node < 2) return cost;
  cost.latency += curve_latency(curve, group.ranks_per_node);
  cost.rate = std::min(cost.rate, curve_rate(curve, cost.wire, group.ranks(), links.scale_up));
  return cost;
}

}  // namespace clusterwright
