// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/slow_flow.hpp"

namespace clusterwright {

CollectiveTiming with_slow_flow(CollectiveTiming timing, double slower) {
  if (!timing.crosses_domains) return timing;
  const bool in_line = timing.algorithm == Algorithm::ring || timing.algorithm == Algorithm::torus;
  const Seconds alone = timing.wire / timing.rate;
  if (slower < 1)  // nothing waits for less than no time
    timing.wire = timing.wire * slower;
  else
    timing.latency += (slower - 1) * (in_line ? alone : alone + timing.latency);
  return timing;
}

}  // namespace clusterwright
