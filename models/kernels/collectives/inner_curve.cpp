// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/inner_curve.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright {

Bytes ring_wire(CollectiveOp op, Bytes payload, int ranks) {
  if (op == CollectiveOp::send || op == CollectiveOp::broadcast) return payload;
  return passes(op) * payload * static_cast<double>(ranks - 1) / static_cast<double>(ranks);
}

Bytes switch_wire(Bytes payload, int ranks) {
  return payload * static_cast<double>(ranks + 1) / static_cast<double>(ranks);
}

BytesPerSecond bulk_rate(const CollectiveParameters& curve, int ranks, BytesPerSecond link) {
  return link * curve.bandwidth_share.value * (1 - curve.small_group_loss.value * 2 / std::max(ranks, 2));
}

BytesPerSecond curve_rate(const CollectiveParameters& curve, Bytes wire, int ranks, BytesPerSecond link) {
  const double ramp = std::pow(curve.half_time.value * link / wire, curve.ramp_exponent.value);
  return bulk_rate(curve, ranks, link) / (1 + ramp);
}

Seconds curve_latency(const CollectiveParameters& curve, int ranks) {
  return curve.base_latency.value + curve.rank_latency.value * static_cast<double>(ranks - 1);
}

}  // namespace clusterwright
