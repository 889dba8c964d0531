// SPDX-License-Identifier: Apache-2.0
// Rendezvous, chains of legs, and links that transfers share.
#include "sim/transfers.hpp"

#include <vector>

#include "support/catch.hpp"
#include "support/small_step.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

TEST_CASE("an empty chain takes no time where memory can be short, whatever chain comes next", "[sim]") {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const LaneId network = step.network_lane(rank);
  const RendezvousId nothing = step.builder.add_rendezvous(step.builder.add_chain({}), charge(late));
  WorkTiming loading;
  loading.activity.memory = 0.8;
  const OpId barrier = step.join(network, nothing);
  step.join(network, step.transfer(100, 100, {}, 5), loading);  // 5 us delay, 1 us transfer
  loading.duration = us(1);
  step.compute(step.compute_lane(rank), loading);
  const auto result = replay(std::move(step.builder).build());
  CHECK(result.ops[barrier].end == us(0));
  CHECK(result.end == us(6));
}

TEST_CASE("a send starts for both sides when the later one arrives", "[sim]") {
  SmallStep step;
  const RankClassId sender = step.rank("sender");
  const RankClassId receiver = step.rank("receiver");
  const LaneId sender_network = step.network_lane(sender);
  const OpId compute = step.compute(step.compute_lane(sender), 4);
  const RendezvousId message = step.transfer(600, 100, {}, 1);
  const OpId send = step.join(sender_network, message);
  const OpId receive = step.join(step.network_lane(receiver), message);
  step.builder.depends(compute, send);
  const auto result = replay(std::move(step.builder).build());
  // the receiver waits from 0 to 4; then 1 us delay and 600 B / 100 B/us = 6 us
  CHECK(result.ops[receive].start == us(0));
  CHECK(result.ops[receive].active == us(4));
  CHECK(result.ops[receive].end == us(11));
  CHECK(result.ops[send].end == us(11));
  CHECK(result.ops[send].unshared == us(7));
  CHECK(result.last_arrival[message] == send);
}

TEST_CASE("the legs of a chain follow each other", "[sim]") {
  SmallStep step;
  const LaneId lane = step.network_lane(step.rank("gpu"));
  const ChainId chain = step.builder.add_chain(
      {{{us(1), 200, 100'000'000, 1}, {}}, {{us(2), 0, 0, 1}, {}}, {{us(0), 300, 100'000'000, 1}, {}}});
  step.join(lane, step.builder.add_rendezvous(chain, charge(late)));
  // 1 + 200/100 + 2 + 0 + 300/100 = 8
  CHECK(replay(std::move(step.builder).build()).end == us(8));
}

TEST_CASE("a transfer that is slowed down half way ends as in the example of its header", "[sim]") {
  SmallStep step;
  const ResourceId link = step.link(50'000);  // 50 GB/s
  const LaneId early = step.network_lane(step.rank("early")), other = step.network_lane(step.rank("other"));
  const RankClassId late = step.rank("late");
  const LaneId late_compute = step.compute_lane(late), late_network = step.network_lane(late);
  std::vector<StepGraphBuilder::Leg> legs(2);
  legs[0] = {{us(5), 100'000'000, 50'000'000'000, 1}, {{link}}};
  legs[1].timing.delay = us(5);
  const RendezvousId meeting = step.builder.add_rendezvous(step.builder.add_chain(legs), charge(exposed));
  const OpId send = step.join(early, meeting);
  step.builder.depends(step.compute(late_compute, 3), step.join(late_network, meeting));
  step.join(other, step.transfer(1'000'000'000, 50'000, link, 1008));
  const auto result = replay(std::move(step.builder).build());
  CHECK(result.ops[send].active == us(3));
  CHECK(result.ops[send].end == us(3013));
}

TEST_CASE("two transfers on one link share it, and the longer one speeds up when the shorter one is done", "[sim]") {
  SmallStep step;
  const ResourceId link = step.link(100);
  const OpId shorter = step.join(step.network_lane(step.rank("a")), step.transfer(200, 100, link));
  const OpId longer = step.join(step.network_lane(step.rank("b")), step.transfer(500, 100, link));
  const auto result = replay(std::move(step.builder).build());
  // both at 50 B/us until 200 / 50 = 4 us; then 500 - 200 = 300 B at 100 B/us
  CHECK(result.ops[shorter].end == us(4));
  CHECK(result.ops[longer].end == us(7));
  CHECK(result.ops[longer].unshared == us(5));
}

TEST_CASE("transfers that one link holds together cost one event each, those that may contend cost two", "[sim]") {
  for (const std::uint64_t width : {200, 199}) {
    SmallStep step;
    const ResourceId link = step.link(width);
    for (const char* name : {"a", "b"})
      step.join(step.network_lane(step.rank(name)), step.transfer(1000, 100, link, 1));
    const auto result = replay(std::move(step.builder).build());
    INFO(width);
    // 1 us delay, then 1000 B at 100 B/us, or at 199 / 2 = 99.5 B/us: 10.050251 us
    CHECK(result.end.count == (width == 200 ? 11'000'000 : 11'050'252));
    CHECK(result.events == (width == 200 ? 2 : 4));
  }
}

TEST_CASE("one lane never contends with itself, however wide its chains are together", "[sim]") {
  SmallStep step;
  const ResourceId link = step.link(100);
  const LaneId lane = step.network_lane(step.rank("a"));
  for (int i = 0; i < 3; ++i) step.join(lane, step.transfer(1000, 100, link));
  const auto result = replay(std::move(step.builder).build());
  CHECK(result.end == us(30));
  CHECK(result.events == 3);
}

TEST_CASE("a link is never idle while four transfers of different length share it", "[sim]") {
  SmallStep step;
  const ResourceId link = step.link(120);
  std::vector<OpId> sends;
  for (const std::uint64_t bytes : {60u, 100u, 160u, 280u})
    sends.push_back(step.join(step.network_lane(step.rank("gpu")), step.transfer(bytes, 120, link)));
  const auto result = replay(std::move(step.builder).build());
  // 60 at 30, 40 more at 40, 60 more at 60, 120 more at 120 B/us: 2 + 1 + 1 + 1 us; 600 B / 120 B/us = 5 us in all
  CHECK(result.ops[sends[0]].end == us(2));
  CHECK(result.ops[sends[1]].end == us(3));
  CHECK(result.ops[sends[2]].end == us(4));
  CHECK(result.ops[sends[3]].end == us(5));
}

TEST_CASE("a transfer that cannot be divided evenly ends in the picosecond after its last byte", "[sim]") {
  SmallStep step;
  const OpId small = step.join(step.network_lane(step.rank("a")), step.transfer(1, 3));
  const OpId large = step.join(step.network_lane(step.rank("b")), step.transfer(70'000'000, 3));
  const auto result = replay(std::move(step.builder).build());
  // 1 B / 3 B/us = 333333.33 ps; 70 MB / 3 B/us = 23333333333333.33 ps
  CHECK(result.ops[small].end == Picoseconds{333'334});
  CHECK(result.ops[large].end == Picoseconds{23'333'333'333'334});
}
