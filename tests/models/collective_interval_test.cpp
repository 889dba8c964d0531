// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/collective_time.hpp"

#include <cmath>

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

FitReport report(const std::string& name, double held_out_p90) {
  FitReport out;
  out.name = name;
  out.held_out_p90_abs_log = held_out_p90;
  return out;
}

CollectiveSet judged_set() {
  CollectiveSet set;
  set.fits = {report("collectives/all_reduce, from 1 MB", 0.1), report("collectives/all_reduce, below 1 MB", 0.3),
              report("collectives/all_gather, from 1 MB", 0.05), report("collectives/all_to_all, from 1 MB", 0.07),
              report("collectives/expert_exchange, from 1 MB", 0.6)};
  set.network.bandwidth_share = {0.9, "fit", true, 0.045};
  set.network.latency_scale = {2, "fit", true, 0.2};
  set.network.structural_error.value = 0.04;
  return set;
}

/// Half of the time is latency.
CollectiveTiming half_and_half(bool crosses_domains) {
  CollectiveTiming timing;
  timing.latency = 10 * microsecond;
  timing.wire = 10 * kilobyte;
  timing.rate = 1 * gigabyte_per_second;
  timing.crosses_domains = crosses_domains;
  return timing;
}

double inside(CollectiveOp op, Bytes bytes) {
  return collective_half_width(op, bytes, half_and_half(false), judged_set());
}

}  // namespace

TEST_CASE("inside a node the interval is what left-out rows of the op missed", "[models][collectives]") {
  CHECK(inside(CollectiveOp::all_reduce, 1 * megabyte) == 0.1);
  CHECK(inside(CollectiveOp::all_reduce, 1 * megabyte - 1 * byte) == 0.3);
  CHECK(inside(CollectiveOp::broadcast, 1 * gigabyte) == 0.05);  // priced as a gather
  CHECK(inside(CollectiveOp::send, 1 * gigabyte) == 0.07);
}

TEST_CASE("tokens of experts are judged at every size together", "[models][collectives]") {
  CHECK(inside(CollectiveOp::dispatch, 1 * kilobyte) == 0.6);
  CHECK(inside(CollectiveOp::combine, 1 * gigabyte) == 0.6);
}

TEST_CASE("an op that nobody judged takes the widest interval of its sizes", "[models][collectives]") {
  CHECK(inside(CollectiveOp::reduce_scatter, 1 * gigabyte) == 0.6);
  CHECK(inside(CollectiveOp::reduce_scatter, 1 * kilobyte) == 0.3);
  CollectiveSet unjudged = judged_set();
  unjudged.fits.clear();
  CHECK(collective_half_width(CollectiveOp::all_reduce, 1 * gigabyte, half_and_half(false), unjudged) > 0.3);
}

TEST_CASE("between nodes the network's errors are added in squares", "[models][collectives]") {
  // Errors of 5 % of the rate and 10 % of latencies, each for half of the time, and 4 % from fabric to fabric.
  const double network = std::hypot(0.5 * 0.05, 0.5 * 0.1, 0.04);
  CHECK(collective_half_width(CollectiveOp::all_reduce, 1 * gigabyte, half_and_half(true), judged_set()) ==
        Approx(std::hypot(0.1, 1.645 * network)).epsilon(1e-3));
}
