// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/collective_time.hpp"

#include "support/catch.hpp"
#include "support/collective_names.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// 100 GB/s per GPU, 10 GB/s per NIC, 1 us of switches.
const GroupLinks round_links{100 * gigabyte_per_second, 10 * gigabyte_per_second, 1 * microsecond, false};

CollectiveParameters curve(Seconds base, Seconds rank, double share) {
  CollectiveParameters out;
  out.base_latency.value = base;
  out.rank_latency.value = rank;
  out.bandwidth_share.value = share;
  out.ramp_exponent.value = 1;
  return out;
}

/// Every operation: 5 us + 1 us per rank, 80 % of the link.
std::map<std::string, CollectiveParameters> simple_curves() {
  std::map<std::string, CollectiveParameters> out;
  for (const char* name : {"all_gather", "reduce_scatter", "all_reduce", "all_to_all", "send"})
    out[name] = curve(5 * microsecond, 1 * microsecond, 0.8);
  return out;
}

NetworkParameters simple_network() {
  NetworkParameters out;
  out.bandwidth_share.value = 0.9;
  out.latency_scale.value = 2;
  out.message_latency.value = 9 * microsecond;
  return out;
}

CollectiveTiming timing(CollectiveOp op, Bytes payload, GroupShape group, const GroupLinks& links = round_links) {
  return collective_time(op, payload, group, links, simple_curves(), simple_network());
}

constexpr CollectiveOp every_op[] = {CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_reduce,
                                     CollectiveOp::all_to_all, CollectiveOp::send};

}  // namespace

TEST_CASE("faster NICs never make a collective of RCCL slower", "[models]") {
  GroupLinks links = round_links;
  links.by_protocol = false;
  for (const int domains : {2, 8, 64})
    for (const double payload : {0.1, 1.0, 10.0, 100.0, 1'000.0}) {
      Seconds before = 1e9 * second;
      for (double rate = 5; rate < 120; rate *= 1.02) {
        links.network_per_rank = rate * gigabyte_per_second;
        const CollectiveTiming one = timing(CollectiveOp::all_reduce, payload * megabyte, {domains, 8}, links);
        const Seconds time = one.time() - one.path;  // of which the library that chooses knows
        INFO(domains << " domains, " << payload << " MB, " << rate << " GB/s");
        CHECK(time <= before * (1 + 1e-12));
        before = time;
      }
    }
}

TEST_CASE("a group of one and an empty message cost nothing", "[models]") {
  CHECK(timing(CollectiveOp::all_reduce, 1 * gigabyte, {1, 1}).time() == Seconds{});
  CHECK(timing(CollectiveOp::all_gather, Bytes{}, {1, 8}).time() == Seconds{});
}

TEST_CASE("an all-gather in one node sends all but its own part", "[models]") {
  // 8 ranks: 5 + 7 us, then 7/8 of 80 MB = 70 MB at 80 GB/s = 875 us
  const CollectiveTiming gather = timing(CollectiveOp::all_gather, 80 * megabyte, {1, 8});
  CHECK(gather.wire.in(megabyte) == Approx(70));
  CHECK(gather.time().in(microsecond) == Approx(887));
  CHECK_FALSE(gather.crosses_domains);
}

TEST_CASE("a ring over two nodes leaves each over the NICs of all members", "[models]") {
  // 16 ranks: wire 2 * 15/16 * 160 MB = 300 MB; 8 NICs * 9 GB/s = 72 GB/s, below the 80 inside.
  const CollectiveTiming ring = collective_time(CollectiveOp::all_reduce, 160 * megabyte, {2, 8}, round_links,
                                                simple_curves(), simple_network(), bulk_ring);
  CHECK(ring.rate.in(gigabyte_per_second) == Approx(72));
  // Twice NCCL's 8.4 + 1.4 * (28 * 3.4 + 2 * 14) us, and two passes of 1 us of switches.
  CHECK(ring.latency.in(microsecond) == Approx(2 * (8.4 + 1.4 * (28 * 3.4 + 2 * 14)) + 2));
  CHECK(ring.crosses_domains);
}

TEST_CASE("one member per node rings at the rate of one NIC", "[models]") {
  // 4 nodes: 3/4 of 12 MB = 9 MB at 9 GB/s; a network hop counts as that of a tree, 14 us.
  const CollectiveTiming ring = collective_time(CollectiveOp::reduce_scatter, 12 * megabyte, {4, 1}, round_links,
                                                simple_curves(), simple_network(), bulk_ring);
  CHECK(ring.time().in(microsecond) == Approx(1000 + 2 * (8.4 + 3 * 14) + 3));
}

TEST_CASE("other algorithms are as much slower than the bulk ring as NCCL counts", "[models]") {
  const auto forced = [](Algorithm algorithm, Protocol protocol) {
    return collective_time(CollectiveOp::all_reduce, 160 * megabyte, {4, 8}, round_links, simple_curves(),
                           simple_network(), {algorithm, protocol});
  };
  const CollectiveTiming ring = forced(Algorithm::ring, Protocol::simple);
  const CollectiveTiming quick = forced(Algorithm::ring, Protocol::ll);
  CHECK(quick.rate < 0.51 * ring.rate);
  CHECK(quick.latency < 0.5 * ring.latency);
  CHECK(forced(Algorithm::tree, Protocol::simple).rate < ring.rate);
  CHECK_THROWS_AS(forced(Algorithm::nvls, Protocol::simple), std::invalid_argument);
  CHECK_THROWS_AS(forced(Algorithm::ring, Protocol::simple).rate < forced(Algorithm::pat, Protocol::simple).rate,
                  std::invalid_argument);
}

TEST_CASE("a fabric that is the bottleneck sets the rate", "[models]") {
  GroupLinks tapered = round_links;
  tapered.fabric_limit = 20 * gigabyte_per_second;
  const CollectiveTiming ring = collective_time(CollectiveOp::all_reduce, 160 * megabyte, {2, 8}, tapered,
                                                simple_curves(), simple_network(), bulk_ring);
  CHECK(ring.rate.in(gigabyte_per_second) == Approx(20));
}

TEST_CASE("a broadcast sends its payload once along the ring", "[models]") {
  const CollectiveTiming timing =
      collective_time(CollectiveOp::broadcast, 80 * megabyte, {1, 8}, round_links, simple_curves(), simple_network());
  CHECK(timing.time().in(microsecond) == Approx(1000 + 12));
}

TEST_CASE("half of the bandwidth is reached at the half size", "[models]") {
  auto curves = simple_curves();
  curves["send"].half_time.value = 10 * microsecond;  // 1 MB of 100 GB/s
  const auto rate = [&](Bytes size) {
    return collective_time(CollectiveOp::send, size, {1, 2}, round_links, curves, simple_network()).rate;
  };
  CHECK(rate(1 * megabyte).in(gigabyte_per_second) == Approx(40));
  CHECK(rate(3 * megabyte).in(gigabyte_per_second) == Approx(60));  // 80 / (1 + 1/3)
}

TEST_CASE("low-latency protocols have a rate of their own, and start later than LL by NCCL's tables", "[models]") {
  auto curves = simple_curves();
  curves["all_gather"].low_latency_share.value = 0.6;
  curves["all_gather"].simple_latency.value = 2;
  const auto with = [&](Protocol protocol) {
    return collective_time(CollectiveOp::all_gather, 8 * megabyte, {1, 8}, round_links, curves, simple_network(),
                           {Algorithm::ring, protocol});
  };
  // 5 + 7 us as before. LL carries flags of as many bytes, LL128 8 of 128; 7 MB on the wire.
  CHECK(with(Protocol::ll).time().in(microsecond) == Approx(12 + 7e6 / (0.5 * 60e9) * 1e6));
  // NCCL's ring: 14.0 us and 1.9 us for each of 7 hops of LL128, 8.4 and 3.4 of Simple, 6.6 and 0.6 of LL.
  CHECK(with(Protocol::ll128).time().in(microsecond) ==
        Approx(12 + 2 * (14.0 - 6.6 + 7 * (1.9 - 0.6)) + 7e6 / (0.9375 * 60e9) * 1e6));
  CHECK(with(Protocol::simple).time().in(microsecond) ==
        Approx(12 + 2 * (8.4 - 6.6 + 7 * (3.4 - 0.6)) + 7e6 / 80e9 * 1e6));
}

TEST_CASE("a longer message takes no less time where LL128 takes over", "[models]") {
  const ParameterSet parameters = fitted_parameters("h100-sxm");
  const GroupLinks links{450 * gigabyte_per_second, 50 * gigabyte_per_second, Seconds{}, true};
  for (const CollectiveOp op : {CollectiveOp::all_gather, CollectiveOp::reduce_scatter}) {
    Seconds before;
    for (double size = 1e6; size < 64e6; size *= 1.02) {
      const Seconds time =
          collective_time(op, size * byte, {1, 8}, links, parameters.collectives, parameters.network).time();
      INFO(size);
      CHECK(time > 0.88 * before);  // one scale serves both protocols
      before = time;
    }
  }
}

TEST_CASE("between nodes no longer message is much faster, and none jumps", "[models][laws]") {
  const ParameterSet parameters = fitted_parameters("h100-sxm");
  const auto growth = [&](CollectiveOp op, const GroupShape& group, const GroupLinks& links) {
    std::pair<double, double> least_and_most{2, 0};
    Seconds before;
    for (double size = 64e3; size < 16e9; size *= 1.02) {
      const Seconds time =
          collective_time(op, size * byte, group, links, parameters.collectives, parameters.network).time();
      if (before > Seconds{})
        least_and_most = {std::min(least_and_most.first, time / before),
                          std::max(least_and_most.second, time / before)};
      before = time;
    }
    return least_and_most;
  };
  GroupLinks links{450 * gigabyte_per_second, 50 * gigabyte_per_second, 2 * microsecond};
  for (const Transport transport : {Transport::infiniband, Transport::efa, Transport::tcp_device})
    for (const bool nvlink : {true, false})
      for (const GroupShape& group : {GroupShape{2, 8}, {4, 8}, {64, 8}, {512, 8}, {32, 1}, {9, 72}})
        for (const CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter,
                                      CollectiveOp::broadcast}) {
          links.transport = transport;
          links.nvlink = links.switch_reduction = nvlink;
          const auto [least, most] = growth(op, group, links);
          INFO(name_of(op) << ", " << group.domains << " x " << group.ranks_per_domain);
          CHECK(least > 0.98);  // the choice leaves out switches and cables
          CHECK(most < 1.08);
        }
}

TEST_CASE("other libraries than NCCL run one ring under one curve", "[models]") {
  GroupLinks links = round_links;
  links.nccl = links.by_protocol = false;
  auto curves = simple_curves();
  curves["all_gather"].low_latency_share.value = 0.6;
  const auto timing =
      collective_time(CollectiveOp::all_gather, 64 * 1024.0 * byte, {1, 8}, links, curves, simple_network());
  CHECK(timing.algorithm == Algorithm::ring);
  CHECK(timing.protocol == Protocol::simple);
}

TEST_CASE("between slices other libraries add one message a step to the latency inside", "[models]") {
  GroupLinks links = round_links;
  links.nccl = links.by_protocol = false;
  links.inner_steps = 6;
  // 5 us + 6 hops of 1 us inside; two passes between two domains: 9 us of a message and 1 us of switches each.
  const CollectiveTiming reduce = timing(CollectiveOp::all_reduce, 8192 * byte, {2, 64}, links);
  CHECK(reduce.latency.in(microsecond) == Approx(5 + 6 + 2 * (9 + 1)));
}

TEST_CASE("in domains larger than any that was measured no longer message jumps by NCCL's choice", "[models]") {
  const ParameterSet parameters = fitted_parameters("gb200-gpu");
  const GroupLinks links{900 * gigabyte_per_second, 50 * gigabyte_per_second, Seconds{}, true};
  for (const CollectiveOp op : {CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_reduce}) {
    Seconds before;
    for (double size = 1e6; size < 4e9; size *= 1.05) {
      const Seconds time =
          collective_time(op, size * byte, {1, 72}, links, parameters.collectives, parameters.network).time();
      INFO(name_of(op) << " " << size);
      if (before > Seconds{}) CHECK(time < 1.15 * before);
      CHECK(time >= before);
      before = time;
    }
  }
}

TEST_CASE("a message of Simple takes a jump over a shorter one of LL", "[models]") {
  auto curves = simple_curves();
  const auto step = [&] {
    const auto time = [&](Bytes size) {
      return collective_time(CollectiveOp::all_gather, size, {1, 4}, round_links, curves, simple_network());
    };
    Bytes size = 64 * 1024.0 * byte;
    while (time(size).protocol != Protocol::simple) size *= 2;
    return time(size).time() / time(size / 2).time();
  };
  const double smooth = step();
  curves["all_gather"].low_latency_share.value = 0.8;
  curves["all_gather"].simple_latency.value = 2;
  CHECK(step() > 1.2 * smooth);
}

TEST_CASE("two ranks lose the small-group share, eight a quarter of it", "[models]") {
  auto curves = simple_curves();
  curves["all_gather"].small_group_loss.value = 0.4;
  const auto rate = [&](int ranks) {
    return collective_time(CollectiveOp::all_gather, 1 * gigabyte, {1, ranks}, round_links, curves, simple_network())
        .rate.in(gigabyte_per_second);
  };
  CHECK(rate(2) == Approx(48));  // 80 * (1 - 0.4)
  CHECK(rate(8) == Approx(72));  // 80 * (1 - 0.4 * 2/8)
}

TEST_CASE("a reducing switch sends the buffer once instead of almost twice", "[models]") {
  auto curves = simple_curves();
  curves["all_reduce_switch"] = curve(30 * microsecond, Seconds{}, 0.6);
  GroupLinks links = round_links;
  links.switch_reduction = true;
  const auto reduce = [&](Bytes payload, GroupShape group) {
    return collective_time(CollectiveOp::all_reduce, payload, group, links, curves, simple_network());
  };
  // 9/8 of 80 MB = 90 MB at 60 GB/s = 1500 us, + 30; the ring would take 140 MB / 80 GB/s = 1750 us
  CHECK(reduce(80 * megabyte, {1, 8}).time().in(microsecond) == Approx(1530));
  // Small messages take the ring: 5 + 7 us instead of 30.
  CHECK(reduce(8 * kilobyte, {1, 8}).latency.in(microsecond) == Approx(12));
  const CollectiveChoice tree{Algorithm::nvls_tree, Protocol::simple};
  const auto across = [&](int nodes) {
    return collective_time(CollectiveOp::all_reduce, 800 * megabyte, {nodes, 8}, links, curves, simple_network(), tree)
        .rate.in(gigabyte_per_second);
  };
  // Two nodes exchange over 2 * 72 GB/s; inside a node the bus runs at 60 * (14/8) / (9/8) = 93.3 GB/s.
  CHECK(across(2) == Approx(93.33).epsilon(1e-3));
  CHECK(across(4) == Approx(72));
}

TEST_CASE("a message between nodes pays its own latency and one NIC", "[models]") {
  // 9 + 1 us, 9 MB at 9 GB/s = 1000 us
  CHECK(timing(CollectiveOp::send, 9 * megabyte, {2, 1}).time().in(microsecond) == Approx(1010));
}

TEST_CASE("sockets reach less of a NIC than RDMA and add to every step", "[models]") {
  GroupLinks sockets = round_links;
  sockets.tcp = true;
  NetworkParameters network = simple_network();
  network.tcp_bandwidth_share.value = 0.6;
  network.tcp_latency.value = 30 * microsecond;
  network.tcp_cores.value = 64;  // the host never limits
  // 9 + 1 + 30 us, 6 MB at 6 GB/s = 1000 us
  CHECK(collective_time(CollectiveOp::send, 6 * megabyte, {2, 1}, sockets, simple_curves(), network)
            .time()
            .in(microsecond) == Approx(1040));
  const auto ring = [&](const GroupLinks& links) {
    return collective_time(CollectiveOp::all_reduce, 160 * megabyte, {4, 8}, links, simple_curves(), network,
                           bulk_ring);
  };
  CHECK(ring(sockets).rate.in(gigabyte_per_second) == Approx(48));
  CHECK((ring(sockets).latency - ring(round_links).latency).in(microsecond) == Approx(2 * 3 * 30));
}

TEST_CASE("a host limits sockets by its cores and by its memory", "[models]") {
  GroupLinks sockets = round_links;
  sockets.tcp = true;
  NetworkParameters network = simple_network();
  network.tcp_send_per_core.value = 10 * gigabyte_per_second;
  network.tcp_receive_per_core.value = 5 * gigabyte_per_second;
  const auto rate = [&] { return tcp_host_rate(sockets, network).in(gigabyte_per_second); };
  CHECK(rate() == Approx(10.0 / 3));  // one core both ways: 1 / (1/10 + 1/5)
  network.tcp_cores.value = 6;
  CHECK(rate() == Approx(20));
  sockets.host_cores = 3;  // fewer than NCCL would use
  CHECK(rate() == Approx(10));
  sockets.host_memory = 64 * gigabyte_per_second;
  CHECK(rate() == Approx(8));  // 4 passes over host memory to send, 4 to receive: 64 / 8
  // 8 GB/s of a 10 GB/s NIC, and never more than the share of the transport.
  network.tcp_bandwidth_share.value = 0.9;
  CHECK(transport_share(sockets, network) == Approx(0.8));
  network.tcp_bandwidth_share.value = 0.5;
  CHECK(transport_share(sockets, network) == Approx(0.5));
}

TEST_CASE("all-to-all sends over the NICs what lives on other nodes", "[models]") {
  // 2 nodes: half of 18 MB at 9 GB/s = 1000 us; latency 15 ranks * 1 + 10 us
  CHECK(timing(CollectiveOp::all_to_all, 18 * megabyte, {2, 8}).time().in(microsecond) == Approx(1025));
}

TEST_CASE("an operation without a curve is refused", "[models]") {
  CHECK_THROWS_AS(collective_time(CollectiveOp::send, 1 * byte, {1, 2}, round_links, {}, simple_network()),
                  std::invalid_argument);
}

TEST_CASE("with one algorithm more bandwidth is never slower and more bytes never faster", "[models][laws]") {
  auto curves = simple_curves();
  for (auto& [name, one] : curves) {
    one.half_time.value = 40 * microsecond;
    one.ramp_exponent.value = 0.5;
    one.small_group_loss.value = 0.3;
  }
  GroupLinks faster = round_links;
  faster.scale_up *= 2;
  faster.network_per_rank *= 2;
  for (const CollectiveOp op : every_op)
    for (const GroupShape& group : {GroupShape{1, 2}, {1, 8}, {2, 1}, {2, 8}, {16, 4}}) {
      Seconds before;
      for (Bytes size = 64 * byte; size < 4 * gigabyte; size *= 4) {
        const auto time = [&](const GroupLinks& links) {
          return collective_time(op, size, group, links, curves, simple_network(), bulk_ring).time();
        };
        CHECK(time(round_links) > before);
        CHECK(time(faster) <= time(round_links) * (1 + 1e-12));
        before = time(round_links);
      }
    }
}

TEST_CASE("both kernels of experts have the interval of the less certain one", "[models][collectives]") {
  CollectiveSet set;
  FitReport bulk, direct;
  bulk.name = "collectives/expert_exchange, from 1 MB";
  direct.name = "collectives/expert_exchange_direct, from 1 MB";
  bulk.held_out_p90_abs_log = 0.17;
  direct.held_out_p90_abs_log = 0.06;
  set.fits = {bulk, direct};
  CHECK(collective_half_width(CollectiveOp::dispatch, 1 * megabyte, {}, set) == 0.17);
  CHECK(collective_half_width(CollectiveOp::combine, 1 * megabyte, {}, set) == 0.17);
}
