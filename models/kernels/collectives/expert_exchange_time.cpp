#include "models/kernels/collectives/expert_exchange_time.hpp"

#include <algorithm>

#include "models/kernels/collectives/inner_curve.hpp"

namespace clusterwright {

ExpertShares even_shares(const GroupShape& group) {
  const double ranks = group.ranks();
  const double near = group.nodes == 1 ? ranks : group.ranks_per_node;
  return {(ranks - near) / ranks, (near - 1) / ranks, 1};
}

CollectiveCost expert_cost(Bytes payload, const GroupShape& group, const GroupLinks& links,
                           const CollectiveParameters& curve, const NetworkParameters& network,
                           const ExpertShares& shares) {
  CollectiveCost cost;
  cost.algorithm = Algorithm::direct;
  cost.latency = curve_latency(curve, group.ranks());
  const Bytes busiest = payload * shares.imbalance;
  const BytesPerSecond link = links.exchange > BytesPerSecond{} ? links.exchange : links.scale_up;
  const BytesPerSecond inner = bulk_rate(curve, group.ranks(), link);
  cost.crosses_nodes = shares.network > 0;
  if (!cost.crosses_nodes) {
    cost.wire = busiest * shares.scale_up;
    cost.rate = inner;
    return cost;
  }
  cost.wire = busiest * shares.network;
  cost.scale_up_share = shares.scale_up / shares.network;
  cost.rate = links.network_per_rank * transport_share(links, network);
  if (cost.scale_up_share > 0) cost.rate = std::min(cost.rate, inner / cost.scale_up_share);
  if (links.fabric_limit) cost.rate = std::min(cost.rate, *links.fabric_limit);
  return cost;
}

}  // namespace clusterwright
