// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/link_timings.hpp"

#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

TEST_CASE("software that communicates faster does not make light faster", "[models]") {
  const Scenario s = small_scenario({});
  const LinkTimings plain(s.cluster, s.parameters, 1), fast(s.cluster, s.parameters, 0.5);
  const Seconds far = 5 * millisecond;  // 1,000 km
  for (const CollectiveOp op : {CollectiveOp::send, CollectiveOp::all_reduce, CollectiveOp::all_gather}) {
    const CollectiveTiming there = plain.collective(op, 1 * megabyte, {2, 1}, far);
    const CollectiveTiming faster = fast.collective(op, 1 * megabyte, {2, 1}, far);
    CHECK(there.path >= far);
    CHECK(faster.path == there.path);
    CHECK((faster.latency - faster.path).in(microsecond) == Approx(0.5 * (there.latency - there.path).in(microsecond)));
  }
}
