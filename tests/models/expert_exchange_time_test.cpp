// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/expert_exchange.hpp"

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

const GroupLinks links{100 * gigabyte_per_second, 10 * gigabyte_per_second, 1 * microsecond, false};

CollectiveTiming timing(Bytes payload, GroupShape group, const ExpertShares& shares, const GroupLinks& with = links) {
  CollectiveParameters curve;
  curve.base_latency.value = 20 * microsecond;
  curve.rank_latency.value = 1 * microsecond;
  curve.bandwidth_share.value = 0.8;
  NetworkParameters network;
  network.bandwidth_share.value = 0.9;
  return expert_exchange_time(payload, group, with, curve, network, shares);
}

}  // namespace

TEST_CASE("every copy goes to each rank equally often", "[models][collectives]") {
  const ExpertShares node = even_shares({1, 8});
  CHECK(node.network == 0);
  CHECK(node.scale_up == Approx(7.0 / 8));
  const ExpertShares four = even_shares({4, 8});
  CHECK(four.network == Approx(24.0 / 32));
  CHECK(four.scale_up == Approx(7.0 / 32));
  CHECK(four.imbalance == 1);
}

TEST_CASE("inside one node tokens cross the scale-up link alone", "[models][collectives]") {
  // 20 + 7 us; 7/8 of 64 MB = 56 MB at 80 GB/s = 700 us
  const CollectiveTiming inside = timing(64 * megabyte, {1, 8}, even_shares({1, 8}));
  CHECK(inside.time().in(microsecond) == Approx(27 + 700));
  CHECK_FALSE(inside.crosses_domains);
}

TEST_CASE("between nodes the slower of NIC and scale-up link sets the pace", "[models][collectives]") {
  // 20 + 31 us; 3/4 of 12 MB = 9 MB at 9 GB/s = 1000 us, far above 7/32 of 12 MB at 80 GB/s
  CHECK(timing(12 * megabyte, {4, 8}, even_shares({4, 8})).time().in(microsecond) == Approx(51 + 1000));
  // 0.1 over the NIC: 1.2 MB, 133 us; 2 over the link: 24 MB at 80 GB/s, 300 us
  CHECK(timing(12 * megabyte, {4, 8}, {0.1, 2, 1}).time().in(microsecond) == Approx(51 + 300));
}

TEST_CASE("over PCI Express copies move no faster than an all-to-all", "[models][collectives]") {
  CollectiveParameters curve, all_to_all;
  curve.bandwidth_share.value = 0.8;
  all_to_all.bandwidth_share.value = 0.25;
  all_to_all.half_time.value = {};  // no ramp
  all_to_all.ramp_exponent.value = 1;
  GroupLinks cards = links;
  const auto rate = [&](const GroupShape& group) {
    return expert_exchange_time(64 * megabyte, group, cards, curve, {}, even_shares(group), &all_to_all).rate;
  };
  CHECK(rate({1, 8}).in(gigabyte_per_second) == Approx(80));  // NVLink
  cards.nvlink = false;
  CHECK(rate({1, 8}).in(gigabyte_per_second) == Approx(25));
  CHECK_FALSE(moves_over_pcie({8, 1}, cards));  // NICs alone
}

TEST_CASE("the busiest rank and a slow fabric keep the others waiting", "[models][collectives]") {
  ExpertShares uneven = even_shares({4, 8});
  uneven.imbalance = 1.5;
  CHECK(timing(12 * megabyte, {4, 8}, uneven).time().in(microsecond) == Approx(51 + 1500));
  GroupLinks tapered = links;
  tapered.fabric_limit = 3 * gigabyte_per_second;
  CHECK(timing(12 * megabyte, {4, 8}, even_shares({4, 8}), tapered).time().in(microsecond) == Approx(51 + 3000));
}

TEST_CASE("where all pairs exchange more slowly than a ring runs, tokens do too", "[models][collectives]") {
  GroupLinks mesh = links;
  mesh.exchange = 50 * gigabyte_per_second;
  CHECK(timing(64 * megabyte, {1, 8}, even_shares({1, 8}), mesh).time().in(microsecond) == Approx(27 + 1400));
}
