// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/other_algorithms.hpp"

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

NetworkParameters network() {
  NetworkParameters out;
  out.bandwidth_share.value = 0.9;
  out.message_latency.value = 9 * microsecond;
  return out;
}

/// 5 us + 1 us per rank, 80 % of the link.
CollectiveParameters curve() {
  CollectiveParameters out;
  out.base_latency.value = 5 * microsecond;
  out.rank_latency.value = 1 * microsecond;
  out.bandwidth_share.value = 0.8;
  out.ramp_exponent.value = 1;
  return out;
}

/// 100 GB/s per GPU, 10 GB/s per NIC, 1 us of switches.
GroupLinks network_links() {
  return {100 * gigabyte_per_second, 10 * gigabyte_per_second, 1 * microsecond, false};
}

}  // namespace

TEST_CASE("a torus pays its hops once for each pass and its wire at the rate of its links", "[models][collectives]") {
  GroupLinks torus = network_links();
  torus.fabric_limit = 40 * gigabyte_per_second;
  // 9 us + one pass of 6 us; 15/16 of 64 MB = 60 MB at 40 GB/s = 1500 us
  const auto gather = torus_time(CollectiveOp::all_gather, 64 * megabyte, {16, 1}, torus, 6 * microsecond, network());
  CHECK(gather.time().in(microsecond) == Approx(9 + 6 + 1500));
  CHECK(gather.algorithm == Algorithm::torus);
  CHECK(gather.crosses_domains);
  const auto reduce = torus_time(CollectiveOp::all_reduce, 64 * megabyte, {16, 1}, torus, 6 * microsecond, network());
  CHECK(reduce.time().in(microsecond) == Approx(9 + 12 + 3000));
}

TEST_CASE("halving and doubling takes a message for each of its stages", "[models][collectives]") {
  const auto timing = [&](CollectiveOp op, Bytes bytes, GroupShape group, const GroupLinks& with) {
    return halving_doubling_time(op, bytes, group, with, curve(), network());
  };
  // 8 nodes: 3 stages and back, 10 us each; 2 * 7/8 of 36 MB = 63 MB at 9 GB/s = 7000 us
  CHECK(timing(CollectiveOp::all_reduce, 36 * megabyte, {8, 1}, network_links()).time().in(microsecond) ==
        Approx(60 + 7000));
  // Gathering is half of that.
  CHECK(timing(CollectiveOp::all_gather, 36 * megabyte, {8, 1}, network_links()).time().in(microsecond) ==
        Approx(30 + 3500));
  GroupLinks tapered = network_links();
  tapered.fabric_limit = 3 * gigabyte_per_second;
  CHECK(timing(CollectiveOp::all_reduce, 36 * megabyte, {8, 1}, tapered).time().in(microsecond) == Approx(60 + 21000));
}

TEST_CASE("nodes with several members reduce inside first", "[models][collectives]") {
  GroupLinks fast = network_links();
  fast.fabric_limit = 200 * gigabyte_per_second;
  // 2 nodes of 4: 2 stages of 10 us, 5 + 3 us inside; 2 * 7/8 of 32 MB = 56 MB at the 80 GB/s inside = 700 us
  const auto timing = halving_doubling_time(CollectiveOp::all_reduce, 32 * megabyte, {2, 4}, fast, curve(), network());
  CHECK(timing.time().in(microsecond) == Approx(20 + 8 + 700));
}
