// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/attention_time.hpp"

#include <algorithm>

namespace clusterwright {

AttentionTiming attention_time(const AttentionShape& s, const AttentionParameters& fit, FlopsPerSecond rate,
                               BytesPerSecond traffic) {
  // Kernels that skip masked blocks compute the share under the mask, others the whole square.
  const double executed = std::min(1.0, fit.executed_share.value < 1 ? 2 * s.share * fit.executed_share.value : 1.0);
  const double scores = s.sequences * s.heads * s.queries * s.keys * executed;
  const double length = s.queries / (s.queries + fit.half_sequence.value);
  const bool aligned = static_cast<int>(s.head_width) % 8 == 0;
  const double width =
      (s.head_width < 128 ? fit.narrow_head_factor.value : 1) * (aligned ? 1 : fit.unaligned_factor.value);
  const double efficiency = (s.forward ? fit.forward_efficiency : fit.backward_efficiency).value * length * width;
  const double score_bytes = (s.forward ? fit.score_bytes_forward : fit.score_bytes_backward).value;
  AttentionTiming timing;
  timing.flops = scores * s.head_width * (s.forward ? 4.0 : 10.0) * flop;  // 2 or 5 multiplies of 2 FLOPs
  timing.compute = timing.flops / (rate * efficiency);
  timing.memory = scores * score_bytes * byte / traffic;
  return timing;
}

}  // namespace clusterwright
