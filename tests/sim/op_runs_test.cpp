// SPDX-License-Identifier: Apache-2.0
// Runs: ops that follow each other whatever happens around them, replayed together.
#include "sim/replay.hpp"
#include "support/catch.hpp"
#include "support/small_step.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Holds multiprocessors while it communicates.
WorkTiming message(std::uint32_t reserved_sms) {
  WorkTiming timing;
  timing.reserved_sms = reserved_sms;
  return timing;
}

Picoseconds lost_to(const ReplayResult& result, ChargeId charge) {
  Picoseconds lost;
  for (const SharingLoss& loss : result.sharing_losses)
    if (loss.charge == charge) lost += loss.lost;
  return lost;
}

}  // namespace

TEST_CASE("kernels and their own collective in between cost one event", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const LaneId compute = step.compute_lane(rank);
  const OpId before = step.compute(compute, 3);
  const OpId gather = step.join(step.network_lane(rank), step.transfer(200, 100));
  const OpId behind = step.compute(compute, 4);
  const OpId last = step.compute(compute, 1);
  step.builder.depends(before, gather);
  step.builder.depends(gather, behind);
  const auto result = replay(std::move(step.builder).build());
  CHECK(result.ops[gather].start == us(3));
  CHECK(result.ops[behind].start == us(5));
  CHECK(result.ops[behind].released_by == gather);
  CHECK(result.ops[last].start == us(9));
  CHECK(result.end == us(10));
  CHECK(result.events == 1);
}

TEST_CASE("an op that another rank waits for ends at its own time", "[sim]") {
  SmallStep step;
  const RankClassId sender = step.rank("sender"), receiver = step.rank("receiver");
  const LaneId compute = step.compute_lane(sender);
  const OpId first = step.compute(compute, 2);
  const OpId second = step.compute(compute, 5);
  const OpId third = step.compute(compute, 5);
  const RendezvousId meeting = step.transfer(300, 100);
  const OpId send = step.join(step.network_lane(sender), meeting);
  const OpId receive = step.join(step.network_lane(receiver), meeting);
  const OpId use = step.compute(step.compute_lane(receiver), 1);
  step.builder.depends(second, send);
  step.builder.depends(receive, use);
  const auto result = replay(std::move(step.builder).build());
  CHECK(result.ops[second].released_by == first);
  CHECK(result.ops[send].active == us(7));
  CHECK(result.ops[use].start == us(10));
  CHECK(result.ops[third].end == us(12));
}

TEST_CASE("a message that comes and goes slows down those kernels of a run that it meets", "[sim]") {
  SmallStep step;
  const RankClassId here = step.rank("here"), there = step.rank("there");
  WorkTiming gemm = busy(4);
  gemm.sm_table = step.builder.add_sm_table({{{0, 1.0}, {20, 2.0}}});
  const LaneId compute = step.compute_lane(here);
  OpId gemms[3];
  for (OpId& op : gemms) op = step.compute(compute, gemm);
  const LaneId network = step.network_lane(here);
  const OpId clock = step.join(network, step.transfer(500, 100));
  const RendezvousId meeting = step.transfer(200, 100);
  const OpId receive = step.join(network, meeting, message(20));
  const OpId busy_there = step.compute(step.compute_lane(there), 7);
  const OpId send = step.join(step.network_lane(there), meeting);
  step.builder.depends(clock, receive);
  step.builder.depends(busy_there, send);
  const auto result = replay(std::move(step.builder).build());
  CHECK(result.ops[receive].start == us(5));
  CHECK(result.ops[receive].end == us(9));
  CHECK(result.ops[gemms[0]].end == us(4));
  CHECK(result.ops[gemms[1]].end == us(10));  // 1 us, 4 us at half speed, 1 us
  CHECK(result.ops[gemms[2]].end == us(14));
  CHECK(lost_to(result, charge(exposed)) == us(2));
}

TEST_CASE("a late host holds up an op in the middle of a run", "[sim]") {
  SmallStep step;
  const LaneId compute = step.compute_lane(step.rank("gpu"));
  WorkTiming slow = busy(1);
  slow.launch = us(3);
  const OpId first = step.compute(compute, slow);
  const OpId second = step.compute(compute, slow);
  const auto result = replay(std::move(step.builder).build());
  CHECK(result.ops[first].start == us(3));
  CHECK(result.ops[second].start == us(6));
  CHECK_FALSE(result.ops[second].released_by.exists());
  CHECK(result.end == us(7));
}

TEST_CASE("each timing of a replayer gives what a fresh one gives", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const LaneId compute = step.compute_lane(rank);
  const ResourceId link = step.link(100);
  OpId before = step.compute(compute, 3);
  for (int i = 0; i < 4; ++i) {
    const OpId gather = step.join(step.network_lane(rank), step.transfer(300, 80, link), message(8));
    step.builder.depends(before, gather);
    before = step.compute(compute, 2 + i);
    if (i % 2 == 0) step.builder.depends(gather, before);
  }
  StepGraph graph = std::move(step.builder).build();
  Replayer replayer(graph.structure);
  ReplayResult result;
  for (int round = 0; round < 5; ++round) {
    if (round == 1) graph.timing.works[WorkId(0)].launch = us(1);
    if (round == 2) graph.timing.works[WorkId(2)].reserved_sms = 4;  // a kernel of a run no longer
    if (round == 3) graph.timing.capacity[link] = 1'000'000'000;     // no contention
    if (round == 4) graph.timing.works[WorkId(4)].activity.memory = 1;
    result = replayer.run(graph.timing, std::move(result));
    const ReplayResult fresh = replay(graph);
    CHECK(result.end == fresh.end);
    CHECK(result.events == fresh.events);
    for (std::size_t i = 0; i < graph.structure.op_count(); ++i) {
      CHECK(result.ops[OpId(i)].start == fresh.ops[OpId(i)].start);
      CHECK(result.ops[OpId(i)].end == fresh.ops[OpId(i)].end);
    }
  }
}
