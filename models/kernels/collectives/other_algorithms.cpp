// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/other_algorithms.hpp"

#include <algorithm>
#include <cmath>

#include "models/kernels/collectives/inner_curve.hpp"

namespace clusterwright {

namespace {

CollectiveTiming between_domains(CollectiveOp op, Algorithm algorithm, Bytes payload, const GroupShape& group,
                                 const GroupLinks& links, const NetworkParameters& network) {
  CollectiveTiming timing;
  timing.algorithm = algorithm;
  timing.crosses_domains = true;
  timing.wire = ring_wire(op, payload, group.ranks());
  timing.rate =
      links.fabric_limit.value_or(group.ranks_per_domain * links.network_per_rank * transport_share(links, network));
  return timing;
}

}  // namespace

CollectiveTiming torus_time(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                            Seconds pass, const NetworkParameters& network) {
  CollectiveTiming timing = between_domains(op, Algorithm::torus, payload, group, links, network);
  timing.latency = network.message_latency.value + passes(op) * pass;
  return timing;
}

CollectiveTiming halving_doubling_time(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                                       const CollectiveParameters& curve, const NetworkParameters& network) {
  CollectiveTiming timing = between_domains(op, Algorithm::halving_doubling, payload, group, links, network);
  const double stages = passes(op) * std::ceil(std::log2(static_cast<double>(group.domains)));
  timing.latency = stages * (network.message_latency.value + links.switch_latency);
  if (group.ranks_per_domain < 2) return timing;
  timing.latency += curve_latency(curve, group.ranks_per_domain);
  timing.rate = std::min(timing.rate, curve_rate(curve, timing.wire, group.ranks(), links.scale_up));
  return timing;
}

}  // namespace clusterwright
