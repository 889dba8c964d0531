// SPDX-License-Identifier: Apache-2.0
#include "sim/breakdown.hpp"

#include "support/catch.hpp"
#include "support/small_step.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

struct Charged {
  ReplayResult result;
  Breakdown breakdown;

  Picoseconds of(RankClassId rank, SmallCharge which) const { return breakdown.by_rank[rank][which]; }
};

Charged charge_step(const StepGraph& graph) {
  Charged charged;
  charged.result = replay(graph);
  charged.breakdown = charge_time(graph.structure, graph.timing, charged.result);
  for (const ChargedTime& rank : charged.breakdown.by_rank) CHECK(total(rank) == charged.result.end);
  return charged;
}

}  // namespace

TEST_CASE("an exposed transfer is charged to itself, a hidden one to nothing", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const LaneId compute = step.compute_lane(rank);
  const LaneId network = step.network_lane(rank);
  step.join(network, step.transfer(300, 100));  // 0..3, hidden
  const OpId first = step.compute(compute, 5);
  const OpId gather = step.join(network, step.transfer(200, 100));
  const OpId second = step.compute(compute, 1);
  step.builder.depends(first, gather);
  step.builder.depends(gather, second);
  const auto charged = charge_step(std::move(step.builder).build());
  // 5 compute, 2 exposed, 1 compute
  CHECK(charged.of(rank, work) == us(6));
  CHECK(charged.of(rank, exposed) == us(2));
  CHECK(charged.of(rank, idle) == us(0));
}

TEST_CASE("waiting for a late partner is charged apart from the transfer", "[sim]") {
  SmallStep step;
  const RankClassId early = step.rank("early");
  const RankClassId slow = step.rank("slow");
  const LaneId early_compute = step.compute_lane(early);
  const OpId before = step.compute(early_compute, 1);
  const OpId long_work = step.compute(step.compute_lane(slow), 6);
  const RendezvousId message = step.transfer(200, 100);
  const OpId receive = step.join(step.network_lane(early), message);
  const OpId send = step.join(step.network_lane(slow), message);
  const OpId after = step.compute(early_compute, 3);
  step.builder.depends(before, receive);
  step.builder.depends(long_work, send);
  step.builder.depends(receive, after);
  const auto charged = charge_step(std::move(step.builder).build());
  // early: work 1, waits 1..6, transfer 6..8, work 3; slow: work 6, transfer 2, then nothing of its own until 11
  CHECK(charged.of(early, work) == us(4));
  CHECK(charged.of(early, late) == us(5));
  CHECK(charged.of(early, exposed) == us(2));
  CHECK(charged.of(slow, work) == us(6));
  CHECK(charged.of(slow, exposed) == us(2));
  CHECK(charged.of(slow, idle) == us(3));
}

TEST_CASE("the walk goes on upstream through several transfers", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const LaneId compute = step.compute_lane(rank);
  const LaneId network = step.network_lane(rank);
  const OpId first = step.compute(compute, 2);
  const OpId one = step.join(network, step.transfer(100, 100));
  const OpId two = step.builder.add_op(network, WorkId(1), charge(late), step.transfer(400, 100));
  const OpId last = step.compute(compute, 1);
  step.builder.depends(first, one);
  step.builder.depends(two, last);
  const auto charged = charge_step(std::move(step.builder).build());
  CHECK(charged.of(rank, work) == us(3));
  CHECK(charged.of(rank, exposed) == us(1));
  CHECK(charged.of(rank, late) == us(4));
}

TEST_CASE("waiting in a rendezvous for an op of the own rank is charged to what held that op up", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const LaneId first_network = step.network_lane(rank);
  const LaneId second_network = step.network_lane(rank);
  const RendezvousId meeting = step.transfer(200, 100);
  const OpId early = step.join(first_network, meeting);
  step.join(second_network, step.transfer(400, 100));
  step.join(second_network, meeting);
  const OpId after = step.compute(step.compute_lane(rank), 1);
  step.builder.depends(early, after);
  const auto charged = charge_step(std::move(step.builder).build());
  // 4 us of the other transfer, then 2 us of the meeting
  CHECK(charged.of(rank, exposed) == us(6));
  CHECK(charged.of(rank, late) == us(0));
  CHECK(charged.of(rank, work) == us(1));
}

TEST_CASE("a gap before an op that the host had not issued is launch", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const LaneId lane = step.compute_lane(rank);
  WorkTiming timing = busy(1);
  timing.launch = us(3);
  step.compute(lane, timing);  // issued at 3, ends at 4
  step.compute(lane, timing);  // issued at 6, ends at 7
  const auto charged = charge_step(std::move(step.builder).build());
  CHECK(charged.of(rank, work) == us(2));
  CHECK(charged.of(rank, launch) == us(5));
}

TEST_CASE("after a launch the walk goes on with the dependency that was met last", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const LaneId compute = step.compute_lane(rank);
  WorkTiming issued_late = busy(1);
  issued_late.launch = us(5);
  const OpId gather = step.join(step.network_lane(rank), step.transfer(400, 100));
  const OpId gemm = step.compute(compute, issued_late);
  step.builder.depends(gather, gemm);
  const auto charged = charge_step(std::move(step.builder).build());
  // transfer 0..4, launch 4..5, work 5..6
  CHECK(charged.of(rank, exposed) == us(4));
  CHECK(charged.of(rank, launch) == us(1));
  CHECK(charged.of(rank, work) == us(1));
}

TEST_CASE("of several dependencies before a launch the one that ended last counts", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  WorkTiming issued_late = busy(1);
  issued_late.launch = us(7);
  const OpId longer = step.join(step.network_lane(rank), step.transfer(600, 100));
  const OpId shorter = step.join(step.network_lane(rank), step.transfer(100, 100));
  const OpId gemm = step.compute(step.compute_lane(rank), issued_late);
  step.builder.depends(longer, gemm);
  step.builder.depends(shorter, gemm);
  const auto charged = charge_step(std::move(step.builder).build());
  // the longer transfer 0..6, launch 6..7, work 7..8
  CHECK(charged.of(rank, exposed) == us(6));
  CHECK(charged.of(rank, launch) == us(1));
}

TEST_CASE("a slow clock is charged to throttle, a fast one adds no charge", "[sim]") {
  SmallStep step;
  WorkTiming timing = busy(10);
  timing.clock_share = 1;
  const RankClassId slow = step.rank("slow");
  const RankClassId fast = step.rank("fast");
  step.compute(step.compute_lane(slow), timing);
  step.compute(step.compute_lane(fast), timing);
  StepGraph graph = std::move(step.builder).build();
  graph.timing.clock[slow] = 0.5;
  graph.timing.clock[fast] = 2;
  const auto charged = charge_step(graph);
  // 10 / 0.5 = 20; 10 / 2 = 5
  CHECK(charged.of(slow, work) == us(10));
  CHECK(charged.of(slow, throttle) == us(10));
  CHECK(charged.of(fast, work) == us(5));
  CHECK(charged.of(fast, throttle) == us(0));
  CHECK(charged.of(fast, idle) == us(15));
}

TEST_CASE("time lost to reserved multiprocessors is charged to the kernel that holds most", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  WorkTiming timing = busy(10);
  timing.sm_table = step.builder.add_sm_table({{{0, 1.0}, {20, 2.0}}});
  step.compute(step.compute_lane(rank), timing);
  WorkTiming kernel;
  kernel.reserved_sms = 14;
  step.join(step.network_lane(rank), step.transfer(600, 100), kernel);
  kernel.reserved_sms = 6;
  const LaneId other = step.network_lane(rank);
  step.builder.add_op(other, step.builder.add_work("small", kernel), charge(late), step.transfer(600, 100));
  const auto charged = charge_step(std::move(step.builder).build());
  // 20 reserved for 6 us at half speed: 3 us lost
  CHECK(charged.of(rank, work) == us(10));
  CHECK(charged.of(rank, exposed) == us(3));
  CHECK(charged.of(rank, late) == us(0));
}

TEST_CASE("among kernels that hold equally many multiprocessors the one issued first is charged", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  WorkTiming timing = busy(10);
  timing.sm_table = step.builder.add_sm_table({{{0, 1.0}, {20, 2.0}}});
  const LaneId later_lane = step.network_lane(rank);
  const LaneId first_lane = step.network_lane(rank);
  step.compute(step.compute_lane(rank), timing);
  WorkTiming kernel;
  kernel.reserved_sms = 10;
  step.join(first_lane, step.transfer(600, 100), kernel);
  step.builder.add_op(later_lane, step.builder.add_work("later", kernel), charge(late), step.transfer(600, 100));
  const auto charged = charge_step(std::move(step.builder).build());
  CHECK(charged.of(rank, exposed) == us(3));
  CHECK(charged.of(rank, late) == us(0));
}

TEST_CASE("kernels that slow an op down one after the other are each charged for their time", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  WorkTiming timing = busy(10);
  timing.sm_table = step.builder.add_sm_table({{{0, 1.0}, {10, 2.0}}});
  step.compute(step.compute_lane(rank), timing);
  WorkTiming kernel;
  kernel.reserved_sms = 10;
  const LaneId network = step.network_lane(rank);
  step.join(network, step.transfer(600, 100), kernel);
  step.builder.add_op(network, step.builder.add_work("other", kernel), charge(late), step.transfer(200, 100));
  const auto charged = charge_step(std::move(step.builder).build());
  // half speed beside either: 6 us and then 2 us
  CHECK(charged.of(rank, exposed) == us(3));
  CHECK(charged.of(rank, late) == us(1));
}

TEST_CASE("a kernel that still waits takes no memory bandwidth and is not charged for it", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const RankClassId slow = step.rank("slow");
  WorkTiming timing = busy(10);
  timing.activity.memory = 1;
  step.compute(step.compute_lane(rank), timing);
  WorkTiming kernel;
  kernel.activity.memory = 1;
  const RendezvousId message = step.transfer(100, 100);
  const LaneId slow_compute = step.compute_lane(slow);
  step.builder.add_op(step.network_lane(rank), step.builder.add_work("waits", kernel), charge(late), message);
  step.join(step.network_lane(rank), step.transfer(300, 100), kernel);
  step.compute(slow_compute, 50);
  step.join(slow_compute, message);
  const auto charged = charge_step(std::move(step.builder).build());
  // demand 2 while the second transfer runs: 6 us at half speed
  CHECK(charged.of(rank, exposed) == us(3));
}

TEST_CASE("a communication op on the compute lane splits into waiting and transfer", "[sim]") {
  SmallStep step;
  const RankClassId early = step.rank("early");
  const RankClassId slow = step.rank("slow");
  const RendezvousId message = step.transfer(200, 100);
  step.join(step.compute_lane(early), message);
  const LaneId slow_compute = step.compute_lane(slow);
  step.compute(slow_compute, 3);
  step.join(slow_compute, message);
  const auto charged = charge_step(std::move(step.builder).build());
  CHECK(charged.of(early, late) == us(3));
  CHECK(charged.of(early, exposed) == us(2));
  CHECK(charged.of(slow, work) == us(3));
  CHECK(charged.of(slow, exposed) == us(2));
}

TEST_CASE("being released by another rank without a rendezvous is idle", "[sim]") {
  SmallStep step;
  const RankClassId first = step.rank("first");
  const RankClassId second = step.rank("second");
  const OpId before = step.compute(step.compute_lane(first), 2);
  const OpId after = step.compute(step.compute_lane(second), 3);
  step.builder.depends(before, after);
  const auto charged = charge_step(std::move(step.builder).build());
  CHECK(charged.of(second, idle) == us(2));
  CHECK(charged.of(first, idle) == us(3));
}

TEST_CASE("the mean counts every rank of a class", "[sim]") {
  SmallStep step;
  step.compute(step.compute_lane(step.rank("many", 3)), 8);
  step.compute(step.compute_lane(step.rank("one", 1)), 4);
  const auto charged = charge_step(std::move(step.builder).build());
  // (3 x 8 + 4) / 4 = 7 work and 1 idle
  CHECK(charged.breakdown.mean[work].in(microsecond) == Approx(7));
  CHECK(charged.breakdown.mean[idle].in(microsecond) == Approx(1));
}
