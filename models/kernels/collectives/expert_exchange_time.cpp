// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/expert_exchange_time.hpp"

#include <algorithm>

#include "models/kernels/collectives/inner_curve.hpp"

namespace clusterwright {

ExpertShares even_shares(const GroupShape& group) {
  const double ranks = group.ranks();
  const double near = group.domains == 1 ? ranks : group.ranks_per_domain;
  return {(ranks - near) / ranks, (near - 1) / ranks, 1};
}

CollectiveTiming expert_exchange_time(Bytes payload, const GroupShape& group, const GroupLinks& links,
                                      const CollectiveParameters& curve, const NetworkParameters& network,
                                      const ExpertShares& shares) {
  CollectiveTiming timing;
  timing.algorithm = Algorithm::direct;
  timing.latency = curve_latency(curve, group.ranks());
  const Bytes busiest = payload * shares.imbalance;
  const BytesPerSecond link = links.exchange > BytesPerSecond{} ? links.exchange : links.scale_up;
  const BytesPerSecond inner = bulk_rate(curve, group.ranks(), link);
  timing.crosses_domains = shares.network > 0;
  if (!timing.crosses_domains) {
    timing.wire = busiest * shares.scale_up;
    timing.rate = inner;
    return timing;
  }
  timing.wire = busiest * shares.network;
  timing.scale_up_share = shares.scale_up / shares.network;
  timing.rate = links.network_per_rank * transport_share(links, network);
  if (timing.scale_up_share > 0) timing.rate = std::min(timing.rate, inner / timing.scale_up_share);
  if (links.fabric_limit) timing.rate = std::min(timing.rate, *links.fabric_limit);
  return timing;
}

}  // namespace clusterwright
