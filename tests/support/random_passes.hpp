// SPDX-License-Identifier: Apache-2.0
/// Random programs of passes, kernels and messages, in which hosts may be late and collectives may meet others.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/step_graph_builder.hpp"

namespace clusterwright::testing {

class RandomPasses {
 public:
  /// @param met  whether collectives inside passes cross a link that messages use too
  explicit RandomPasses(bool met) {
    link_ = builder_.add_resource("link", 60'000'000'000.0 * byte_per_second);
    table_ = builder_.add_sm_table({{{0, 1.0}, {16, 1.3}, {32, 1.9}}});
    late_host_ = *range(0, 3) == 0;
    const PowerDomainId domain = builder_.add_power_domain("rack");
    const auto ranks = *range(1, 4);
    for (int i = 0; i < ranks; ++i) add_rank(domain, met);
    const auto passes = *range(1, 4);
    for (int i = 0; i < passes; ++i) passes_.push_back(builder_.add_pass(random_pass()));
    const auto length = *range(1, 25);
    for (int i = 0; i < length; ++i) add_item();
  }

  StepGraph build() && {
    StepGraph graph = std::move(builder_).build();
    for (const RankClassId rank : graph.timing.clock.ids()) graph.timing.clock[rank] = clocks_[rank.value];
    return graph;
  }

 private:
  struct Rank {
    RankClassId id;
    LaneId compute, own, out, in;
    std::vector<OpId> ops;
  };

  static rc::Gen<int> range(int from, int to) { return rc::gen::inRange(from, to); }
  static int draw(int from, int to) { return *range(from, to); }

  void add_rank(PowerDomainId domain, bool met) {
    Rank rank;
    rank.id = builder_.add_rank_class("rank", static_cast<std::uint32_t>(draw(1, 4)), domain, 90 * watt, 700 * watt);
    rank.compute = builder_.add_lane(rank.id, LaneKind::compute, "compute");
    rank.own = builder_.add_lane(rank.id, LaneKind::communication, "own");
    rank.out = builder_.add_lane(rank.id, LaneKind::communication, "out");
    rank.in = builder_.add_lane(rank.id, LaneKind::communication, "in");
    builder_.add_pass_lane(rank.id, rank.compute);
    builder_.add_pass_lane(rank.id, rank.own);
    for (int i = 0; i < 2; ++i) builder_.add_pass_chain(rank.id, chain(met && i == 1));
    clocks_.push_back(*rc::gen::element(1.0, 0.8, 1.1));
    ranks_.push_back(std::move(rank));
  }

  ChainId chain(bool over_link) {
    StepGraphBuilder::Leg leg;
    leg.timing = {{draw(0, 3'000'000)}, static_cast<std::uint64_t>(draw(0, 200'000)), 40'000'000'000, 1};
    if (over_link) leg.uses.push_back({link_});
    return builder_.add_chain({leg});
  }

  WorkId kernel() {
    WorkTiming timing = common();
    timing.duration = {draw(0, 9'000'000)};
    timing.sm_table = draw(0, 4) == 0 ? SmTableId() : table_;
    return builder_.add_work("kernel", timing);
  }
  WorkId transfer() {
    WorkTiming timing = common();
    timing.reserved_sms = static_cast<std::uint32_t>(*rc::gen::element(0, 8, 8, 24));
    return builder_.add_work("transfer", timing);
  }
  WorkTiming common() {
    WorkTiming timing;
    timing.launch = {late_host_ ? draw(0, 6'000'000) : draw(0, 50'000)};
    timing.clock_share = draw(0, 101) / 100.0;
    timing.power = draw(0, 600) * watt;
    timing.waiting_power = draw(0, 100) * watt;
    return timing;
  }

  /// Every op comes behind the first and before the last, which are kernels.
  PassTemplate random_pass() {
    PassTemplate pass;
    const auto count = static_cast<std::uint32_t>(draw(2, 14));
    std::vector<char> joined(count, 0);
    const auto depend = [&](std::uint32_t before, std::uint32_t after) {
      pass.dependencies.emplace_back(before, after);
      joined[before] = 1;
    };
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool is_kernel = i == 0 || i + 1 == count || draw(0, 3) > 0;
      pass.ops.push_back({is_kernel ? kernel() : transfer(), ChargeId(static_cast<std::size_t>(draw(0, 3))),
                          is_kernel ? 0u : 1u, is_kernel ? PassOp::kernel : static_cast<std::uint32_t>(draw(0, 2)),
                          draw(0, 2) == 1});
      if (i == 0) continue;
      if (!is_kernel) depend(0, i);
      if (draw(0, 2) == 0) depend(static_cast<std::uint32_t>(draw(0, static_cast<int>(i))), i);
    }
    for (std::uint32_t i = 0; i + 1 < count; ++i)
      if (pass.ops[i].collective != PassOp::kernel && draw(0, 4) > 0) depend(i, i + 1);
    for (std::uint32_t i = 0; i + 1 < count; ++i)
      if (!joined[i] || pass.ops[i].collective != PassOp::kernel) depend(i, count - 1);
    return pass;
  }

  void follow(Rank& rank, OpId op) {
    if (!rank.ops.empty() && draw(0, 2) == 0)
      builder_.depends(rank.ops[static_cast<std::size_t>(draw(0, static_cast<int>(rank.ops.size())))], op);
    rank.ops.push_back(op);
  }

  ChargeId charge() { return ChargeId(static_cast<std::size_t>(draw(0, 3))); }

  void add_item() {
    Rank& rank = ranks_[static_cast<std::size_t>(draw(0, static_cast<int>(ranks_.size())))];
    const int kind = draw(0, 6);
    if (kind < 3) {
      const PassId pass = passes_[static_cast<std::size_t>(draw(0, static_cast<int>(passes_.size())))];
      follow(rank, builder_.add_pass_op(rank.id, pass, draw(0, 9), draw(0, 9)));
    } else if (kind == 3) {
      follow(rank, builder_.add_op(rank.compute, kernel(), charge()));
    } else {
      Rank& to = ranks_[static_cast<std::size_t>(draw(0, static_cast<int>(ranks_.size())))];
      const RendezvousId meeting = builder_.add_rendezvous(chain(true), ChargeId(2));
      follow(rank, builder_.add_op(rank.out, transfer(), charge(), meeting));
      if (to.id != rank.id) follow(to, builder_.add_op(to.in, transfer(), charge(), meeting));
    }
  }

  StepGraphBuilder builder_{{"work", "exposed", "late", "launch", "throttle", "idle"},
                            {ChargeId(3), ChargeId(4), ChargeId(5)}};
  ResourceId link_;
  SmTableId table_;
  bool late_host_ = false;
  std::vector<double> clocks_;
  std::vector<Rank> ranks_;
  std::vector<PassId> passes_;
};

}  // namespace clusterwright::testing
