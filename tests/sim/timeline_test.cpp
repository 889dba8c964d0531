// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline.hpp"

#include "support/catch.hpp"
#include "support/small_step.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

TEST_CASE("an op is one bar, and waiting for partners is another before it", "[sim]") {
  SmallStep step;
  const RankClassId early = step.rank("early");
  const RankClassId slow = step.rank("slow");
  const LaneId early_network = step.network_lane(early);
  const LaneId slow_compute = step.compute_lane(slow);
  const RendezvousId message = step.transfer(200, 100);
  step.join(early_network, message);
  step.builder.add_op(slow_compute, step.builder.add_work("gemm", busy(3)), charge(work), 7);
  step.join(slow_compute, message);
  const StepGraph graph = std::move(step.builder).build();
  const auto events = make_timeline(graph.structure, replay(graph));

  REQUIRE(events.size() == 4);
  CHECK(events[0].waiting);
  CHECK(events[0].lane == early_network);
  CHECK(events[0].rank == early);
  CHECK(events[0].start_us == Approx(0));
  CHECK(events[0].duration_us == Approx(3));
  CHECK_FALSE(events[1].waiting);
  CHECK(events[1].start_us == Approx(3));
  CHECK(events[1].duration_us == Approx(2));
  CHECK(events[2].name == "gemm");
  CHECK(events[2].note == 7);
  CHECK(events[2].rank == slow);
  CHECK(events[2].duration_us == Approx(3));
  CHECK(events[3].name == "send");
  CHECK_FALSE(events[3].waiting);
  CHECK(events[3].start_us == Approx(3));
}
