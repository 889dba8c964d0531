// SPDX-License-Identifier: Apache-2.0
#include "sim/replay.hpp"

#include "support/catch.hpp"
#include "support/small_step.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Holds multiprocessors and device memory bandwidth while it communicates.
WorkTiming kernel(std::uint32_t reserved_sms, double memory = 0) {
  WorkTiming timing;
  timing.reserved_sms = reserved_sms;
  timing.activity.memory = memory;
  return timing;
}

WorkTiming memory_bound(std::int64_t microseconds, double memory) {
  WorkTiming timing = busy(microseconds);
  timing.activity.memory = memory;
  return timing;
}

}  // namespace

TEST_CASE("an empty step ends at once", "[sim]") {
  SmallStep step;
  const StepGraph graph = std::move(step.builder).build();
  CHECK(replay(graph).end == us(0));
}

TEST_CASE("ops of one lane run one after another", "[sim]") {
  SmallStep step;
  const LaneId lane = step.compute_lane(step.rank("gpu"));
  const OpId first = step.compute(lane, 3);
  const OpId second = step.compute(lane, 4);
  const auto result = replay(std::move(step.builder).build());
  CHECK(result.ops[second].start == us(3));
  CHECK(result.ops[second].end == us(7));
  CHECK(result.ops[second].released_by == first);
  CHECK_FALSE(result.ops[first].released_by.exists());
  CHECK(result.end == us(7));
}

TEST_CASE("ops of zero length and empty chains end where they start", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const LaneId compute = step.compute_lane(rank);
  const LaneId network = step.network_lane(rank);
  step.compute(compute, 0);
  const RendezvousId nothing = step.builder.add_rendezvous(step.builder.add_chain({}), charge(late));
  const OpId barrier = step.join(network, nothing);
  const OpId after = step.compute(compute, 2);
  step.builder.depends(barrier, after);
  CHECK(replay(std::move(step.builder).build()).end == us(2));
}

TEST_CASE("a diamond ends after its longer side", "[sim]") {
  SmallStep step;
  const OpId top = step.compute(step.compute_lane(step.rank("a")), 1);
  const OpId left = step.compute(step.compute_lane(step.rank("b")), 5);
  const OpId right = step.compute(step.compute_lane(step.rank("c")), 2);
  const OpId bottom = step.compute(step.compute_lane(step.rank("d")), 1);
  for (const OpId side : {left, right}) {
    step.builder.depends(top, side);
    step.builder.depends(side, bottom);
  }
  const auto result = replay(std::move(step.builder).build());
  // 1 + max(5, 2) + 1 = 7
  CHECK(result.end == us(7));
  CHECK(result.ops[bottom].released_by == left);
}

TEST_CASE("lanes, dependencies and launches decide what overlaps, as in the example of the header", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const LaneId compute = step.compute_lane(rank);
  const auto launched = [](std::int64_t microseconds) {
    WorkTiming timing = busy(microseconds);
    timing.launch = us(2);
    return timing;
  };
  const OpId first = step.compute(compute, launched(5));
  const OpId gather = step.join(step.network_lane(rank), step.transfer(300, 100), launched(0));
  const OpId beside = step.compute(compute, launched(4));
  const OpId last = step.compute(compute, launched(1));
  step.builder.depends(first, gather);
  step.builder.depends(gather, last);
  const auto result = replay(std::move(step.builder).build());
  CHECK(result.ops[first].start == us(2));
  CHECK(result.ops[gather].start == us(7));
  CHECK(result.ops[gather].end == us(10));
  CHECK(result.ops[beside].start == us(7));
  CHECK(result.ops[last].start == us(11));
}

TEST_CASE("an op waits until its host has issued it", "[sim]") {
  SmallStep step;
  const LaneId lane = step.compute_lane(step.rank("gpu"));
  WorkTiming slow_to_issue = busy(1);
  slow_to_issue.launch = us(5);
  WorkTiming quick_to_issue = busy(10);
  quick_to_issue.launch = us(1);
  const OpId first = step.compute(lane, quick_to_issue);          // issued at 1, runs 1..11
  const OpId hidden = step.compute(lane, slow_to_issue);          // issued at 6, runs 11..12
  const OpId third = step.compute(lane, slow_to_issue);           // issued at 11, runs 12..13
  const OpId exposed_launch = step.compute(lane, slow_to_issue);  // issued at 16
  const auto result = replay(std::move(step.builder).build());
  CHECK(result.ops[first].start == us(1));
  CHECK(result.ops[hidden].start == us(11));
  CHECK(result.ops[hidden].released_by == first);
  CHECK(result.ops[third].start == us(12));
  CHECK(result.ops[exposed_launch].start == us(16));
  CHECK_FALSE(result.ops[exposed_launch].released_by.exists());
}

TEST_CASE("the clock stretches only its share of the duration", "[sim]") {
  SmallStep step;
  WorkTiming timing = busy(10);
  timing.clock_share = 0.5;
  step.compute(step.compute_lane(step.rank("gpu")), timing);
  StepGraph graph = std::move(step.builder).build();
  graph.timing.clock[RankClassId(0)] = 0.5;
  // 10 x (0.5 / 0.5 + 0.5) = 15
  CHECK(replay(graph).end == us(15));
}

TEST_CASE("a compute op slows down while a communication kernel holds multiprocessors", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  WorkTiming timing = busy(10);
  timing.sm_table = step.builder.add_sm_table({{{0, 1.0}, {20, 1.5}, {40, 2.5}}});
  const OpId gemm = step.compute(step.compute_lane(rank), timing);
  step.join(step.network_lane(rank), step.transfer(600, 100), kernel(30));
  const auto result = replay(std::move(step.builder).build());
  // 30 reserved: halfway between 1.5 and 2.5; in 6 us it does 3 us of work, then 7 us are left
  CHECK(result.ops[gemm].end == us(13));
  CHECK(result.ops[gemm].unshared == us(10));
  REQUIRE(result.sharing_losses.size() == 1);
  CHECK(result.sharing_losses[0].charge == charge(exposed));
  CHECK(result.sharing_losses[0].lost == us(3));
}

TEST_CASE("a kernel holds its multiprocessors also while it waits for a partner", "[sim]") {
  SmallStep step;
  const RankClassId early = step.rank("early");
  const RankClassId late_rank = step.rank("late");
  WorkTiming timing = busy(10);
  timing.sm_table = step.builder.add_sm_table({{{0, 1.0}, {20, 2.0}}});
  const OpId gemm = step.compute(step.compute_lane(early), timing);
  const RendezvousId message = step.transfer(200, 100);
  step.join(step.network_lane(early), message, kernel(20));
  const OpId delay = step.compute(step.compute_lane(late_rank), 4);
  const OpId partner = step.join(step.network_lane(late_rank), message);
  step.builder.depends(delay, partner);
  // waits 4 us and transfers 2 us: 6 us at half speed, then 10 - 3 = 7 us
  CHECK(replay(std::move(step.builder).build()).ops[gemm].end == us(13));
}

TEST_CASE("an op beside reserved multiprocessors from its start is slow from its start", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const LaneId compute = step.compute_lane(rank);
  step.join(step.network_lane(rank), step.transfer(1000, 100), kernel(8));
  step.compute(compute, 2);
  WorkTiming timing = busy(4);
  timing.sm_table = step.builder.add_sm_table({{{0, 1.0}, {8, 1.25}}});
  const OpId gemm = step.compute(compute, timing);
  // 2 us without a table, then 4 x 1.25 = 5 us; 2^20 / 1.25 is not whole, so within a few picoseconds
  CHECK(to_seconds(replay(std::move(step.builder).build()).ops[gemm].end).in(microsecond) == Approx(7).epsilon(1e-5));
}

TEST_CASE("an op is not slowed down by the multiprocessors that it holds itself", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  WorkTiming timing = busy(10);
  timing.sm_table = step.builder.add_sm_table({{{0, 1.0}, {20, 2.0}}});
  timing.reserved_sms = 20;
  const OpId gemm = step.compute(step.compute_lane(rank), timing);
  step.join(step.network_lane(rank), step.transfer(500, 100));
  CHECK(replay(std::move(step.builder).build()).ops[gemm].end == us(10));
}

TEST_CASE("device memory that two ops want more than once stretches both", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const OpId copy = step.compute(step.compute_lane(rank), memory_bound(12, 1.0));
  const OpId send = step.join(step.network_lane(rank), step.transfer(400, 100), kernel(0, 1.0));
  const auto result = replay(std::move(step.builder).build());
  // demand 2: both at half; the transfer takes 8 us, in which 4 us of the copy are done; 12 - 4 = 8 us more
  CHECK(result.ops[send].end == us(8));
  CHECK(result.ops[copy].end == us(16));
  REQUIRE(result.sharing_losses.size() == 1);
  CHECK(result.sharing_losses[0].charge == charge(exposed));
  CHECK(result.sharing_losses[0].lost == us(4));
}

TEST_CASE("two ops that want more device memory than there is are slowed down alike, whatever else they do", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const OpId gemm = step.compute(step.compute_lane(rank), memory_bound(10, 0.6));
  const OpId send = step.join(step.network_lane(rank), step.transfer(1500, 100), kernel(0, 0.6));
  const auto result = replay(std::move(step.builder).build());
  // demand 1.2: both run at 1 / 1.2; the GEMM takes 12 us, in which 1000 of 1500 B pass; 500 B at 100 B/us take 5 us
  CHECK(to_seconds(result.ops[gemm].end).in(microsecond) == Approx(12).epsilon(1e-5));
  CHECK(to_seconds(result.ops[send].end).in(microsecond) == Approx(17).epsilon(1e-5));
}

TEST_CASE("the share of device memory does not depend on the op's own demand", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const OpId gemm = step.compute(step.compute_lane(rank), memory_bound(10, 0.25));
  step.join(step.network_lane(rank), step.transfer(5000, 100), kernel(0, 1.0));
  // demand 1.25: also the smaller one takes 10 x 1.25 us
  CHECK(to_seconds(replay(std::move(step.builder).build()).ops[gemm].end).in(microsecond) ==
        Approx(12.5).epsilon(1e-5));
}

TEST_CASE("an op without demand for device memory is not slowed down where memory is short", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const OpId gemm = step.compute(step.compute_lane(rank), 10);
  step.join(step.network_lane(rank), step.transfer(900, 100), kernel(0, 0.8));
  step.join(step.network_lane(rank), step.transfer(900, 100), kernel(0, 0.7));
  CHECK(replay(std::move(step.builder).build()).ops[gemm].end == us(10));
}

TEST_CASE("a transfer follows every change of the demand for memory beside it", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const LaneId compute = step.compute_lane(rank);
  step.compute(compute, memory_bound(3, 0.5));
  step.compute(compute, memory_bound(4, 0.25));
  const OpId send = step.join(step.network_lane(rank), step.transfer(2400, 300), kernel(0, 1.0));
  // 3 x 1.5 us at 300 / 1.5 = 200, 4 x 1.25 us at 300 / 1.25 = 240, then 2400 - 900 - 1200 = 300 B at 300 B/us
  const auto result = replay(std::move(step.builder).build());
  CHECK(to_seconds(result.ops[send].end).in(microsecond) == Approx(10.5).epsilon(1e-5));
}

TEST_CASE("a cycle is reported with the op that can never end", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu 7");
  const LaneId lane = step.network_lane(rank);
  const OpId first = step.join(lane, step.transfer(1, 1));
  const OpId second = step.compute(step.compute_lane(rank), 1);
  step.builder.depends(first, second);
  step.builder.depends(second, first);
  const StepGraph graph = std::move(step.builder).build();
  CHECK_THROWS_WITH(replay(graph), "replay: op 0 (send) on lane network of rank gpu 7 can never end");
}

TEST_CASE("two messages in crossed lane orders never meet", "[sim]") {
  SmallStep step;
  const LaneId a = step.network_lane(step.rank("a"));
  const LaneId b = step.network_lane(step.rank("b"));
  const RendezvousId first = step.transfer(1, 1);
  const RendezvousId second = step.transfer(1, 1);
  step.join(a, first);
  step.join(a, second);
  step.join(b, second);
  step.join(b, first);
  CHECK_THROWS_AS(replay(std::move(step.builder).build()), std::logic_error);
}

TEST_CASE("the builder refuses what cannot be replayed", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const LaneId network = step.network_lane(rank);
  step.compute_lane(rank);
  CHECK_THROWS_AS(step.compute(network, 1), std::logic_error);
  CHECK_THROWS_AS(step.compute_lane(rank), std::logic_error);

  SECTION("a negative duration") {
    step.builder.add_work("gemm", busy(-1));
  }
  SECTION("a share above one") {
    WorkTiming timing = busy(1);
    timing.clock_share = 1.5;
    step.builder.add_work("gemm", timing);
  }
  SECTION("a transfer that cannot move") {
    step.transfer(1, 0);
  }
  SECTION("a rendezvous without members") {
    step.transfer(1, 1);
  }
  SECTION("a table that does not start at (0, 1)") {
    step.builder.add_sm_table({{{8, 1.0}}});
  }
  CHECK_THROWS_AS(std::move(step.builder).build(), std::logic_error);
}
