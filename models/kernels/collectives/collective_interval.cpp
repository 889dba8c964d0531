// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/collective_interval.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

constexpr double z90 = 1.645;              // half of a 90 % interval in standard deviations
constexpr double unjudged_residual = 0.4;  // of a set whose fits report nothing
constexpr Bytes large_message = 1 * megabyte;

/// The op whose fits were judged: nobody measured messages and broadcasts by themselves.
std::string judged(CollectiveOp op) {
  if (op == CollectiveOp::dispatch || op == CollectiveOp::combine) return "expert_exchange";
  return op == CollectiveOp::send ? "all_to_all" : curve_name(op);
}

/// What 90 % of the rows left out stayed below; that of the worst op where this one was not judged.
double residual(CollectiveOp op, Bytes bytes, const CollectiveSet& set) {
  const bool judged_together = judged(op) == "expert_exchange";
  const std::string size = bytes < large_message && !judged_together ? ", below 1 MB" : ", from 1 MB";
  double worst = 0;
  for (const FitReport& fit : set.fits) {
    if (fit.name == "collectives/" + judged(op) + size) return fit.held_out_p90_abs_log;
    if (fit.name.ends_with(size)) worst = std::max(worst, fit.held_out_p90_abs_log);
  }
  return worst > 0 ? worst : unjudged_residual;
}

double relative_error(const Sourced<double>& value) {
  return value.value > 0 ? value.std_error / value.value : 0;
}

}  // namespace

double collective_half_width(CollectiveOp op, Bytes bytes, const CollectiveTiming& timing, const CollectiveSet& set) {
  const double in_class = residual(op, bytes, set);
  if (!timing.crosses_domains) return in_class;
  const double latency_part = timing.latency / timing.time();
  const double of_latency = latency_part * relative_error(set.network.latency_scale);
  const double of_rate = (1 - latency_part) * relative_error(set.network.bandwidth_share);
  const double between = std::hypot(of_latency, of_rate, set.network.structural_error.value);
  return std::hypot(in_class, z90 * between);
}

}  // namespace clusterwright
