// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/slow_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

/// Longer than any step that is simulated (E0502), and short enough for its clock.
constexpr Seconds longest_wait = 30 * day;

}  // namespace

CollectiveTiming with_slow_flow(CollectiveTiming timing, double slower) {
  if (!timing.crosses_domains) return timing;
  const bool in_line = timing.algorithm == Algorithm::ring || timing.algorithm == Algorithm::torus;
  const Seconds alone = timing.wire / timing.rate;
  if (slower < 1)  // nothing waits for less than no time
    timing.wire = timing.wire * slower;
  else
    timing.latency += std::min((slower - 1) * (in_line ? alone : alone + timing.latency), longest_wait);
  return timing;
}

namespace {

/// Mean of the slowest flow if none took longer than the last stated quantile.
double slowest_as_stated(const FlowTail& tail, double flows) {
  const double beyond = 1 / tail.stated_flows(), within = std::pow(1 - beyond, flows);
  const double most = tail.quantile(beyond) / tail.mean();
  return within > 1e-9 ? within * tail.slowest(flows, {0, within}) + (1 - within) * most : most;
}

}  // namespace

double tail_error(const TailSpec& spec, double flows, double lost) {
  const FlowTail tail(spec);
  const double slower = tail.slowest(flows) - 1;
  if (lost <= 0 || slower <= 0) return 0;
  const double continued = std::clamp(1 - (slowest_as_stated(tail, flows) - 1) / slower, 0.0, 1.0);
  return continued * lost / 2;
}

std::string far_tail_sentence(const TailSpec& tail, double flows) {
  const double stated = FlowTail(tail).stated_flows();
  if (flows <= stated) return {};
  return fmt::format(
      "up to {:.0f} flows wait for the slowest of them, and fabric.tail says what 1 in {:.0f} takes: "
      "slower ones follow the Pareto law through its last two quantiles",
      flows, stated);
}

}  // namespace clusterwright
