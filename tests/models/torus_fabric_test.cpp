// SPDX-License-Identifier: Apache-2.0
// Steps on chips whose network is a torus of their own links.
#include "models/kernels/collectives/other_algorithms.hpp"

#include "models/kernels/collectives/group_links.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// 4 x 4 x 4 chips, a node each, links of 90 GB/s and hops of 1 us.
Cluster torus_of_chips() {
  ClusterSpec spec;
  spec.name = "torus";
  spec.accelerators = 64;
  spec.node.part = "TPU v5p chip";
  spec.fabric.kind = FabricKind::torus;
  spec.fabric.transport = Transport::roce;
  spec.fabric.link_rate = 90 * gigabyte_per_second;
  spec.fabric.torus = TorusSpec{{4, 4, 4}, true};
  spec.fabric.hop_latency.value = 1 * microsecond;
  return build_cluster(spec, parts(), JsonValue::object());
}

CollectiveTiming cost_of(CollectiveOp op, int members) {
  const Cluster cluster = torus_of_chips();
  const GroupShape group{members, 1};
  NetworkParameters network;
  network.bandwidth_share.value = 1;
  return *torus_fabric_time(op, 1e9 * byte, group, cluster, group_links(cluster, group, {}), network);
}

}  // namespace

TEST_CASE("an all-gather along one side of a torus uses its two links", "[models]") {
  const CollectiveTiming ring = cost_of(CollectiveOp::all_gather, 4);
  CHECK(ring.rate.in(gigabyte_per_second) == Approx(2 * 90));
  CHECK(ring.wire.in(byte) == Approx(0.75e9));
  CHECK(ring.latency.in(microsecond) == Approx(2));  // half-way round 4
}

TEST_CASE("an all-reduce over the whole torus uses all six links", "[models]") {
  const CollectiveTiming cube = cost_of(CollectiveOp::all_reduce, 64);
  CHECK(cube.rate.in(gigabyte_per_second) == Approx(6 * 90));
  CHECK(cube.latency.in(microsecond) == Approx(2 * 3 * 2));  // there and back, half of three sides
}

TEST_CASE("all-to-all over a torus is slower than a ring: bytes pass through others", "[models]") {
  const CollectiveTiming exchange = cost_of(CollectiveOp::all_to_all, 64);
  // A quarter of what each sends stays on its place of a side; a ring of 4 carries 4^2 / 8 x 64 / 4 = 32 bytes on a
  // link for 63 that each member sends.
  CHECK(exchange.rate.in(gigabyte_per_second) == Approx(90 * 63.0 / 32));
  CHECK(exchange.rate < cost_of(CollectiveOp::all_gather, 64).rate);
}

TEST_CASE("a message takes one link of a torus, not the six of a chip", "[models]") {
  CHECK(cost_of(CollectiveOp::send, 2).rate.in(gigabyte_per_second) == Approx(90));
}
