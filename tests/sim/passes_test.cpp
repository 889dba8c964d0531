// SPDX-License-Identifier: Apache-2.0
// Passes: ops inside, one event outside, checked by hand.
#include <stdexcept>

#include "sim/flat_step.hpp"
#include "sim/pass_shape.hpp"
#include "sim/replay.hpp"
#include "support/catch.hpp"
#include "support/small_step.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

PassOp kernel(WorkId which) {
  return {which, charge(work), 0, PassOp::kernel, false};
}
PassOp collective(WorkId which) {
  return {which, charge(exposed), 1, 0, false};
}

/// A kernel of 3 us, then one of 3 us beside a collective of 5 us that doubles its time, then one of 3 us behind both.
struct OverlappedPass : SmallStep {
  RankClassId gpu = rank("gpu");
  LaneId compute = compute_lane(gpu), network = network_lane(gpu);
  PassId pass;

  explicit OverlappedPass(ResourceId shared = {}) {
    builder.add_pass_lane(gpu, compute);
    builder.add_pass_lane(gpu, network);
    StepGraphBuilder::Leg leg;
    leg.timing = {us(0), 500, 100'000'000, 1};
    if (shared.exists()) leg.uses.push_back({shared});
    builder.add_pass_chain(gpu, builder.add_chain({leg}));
    WorkTiming slowed = busy(3), holding;
    slowed.sm_table = builder.add_sm_table({{{0, 1.0}, {8, 2.0}}});
    holding.reserved_sms = 8;
    const WorkId gemm = builder.add_work("gemm", slowed), gather = builder.add_work("gather", holding);
    pass = builder.add_pass({{kernel(gemm), collective(gather), kernel(gemm), kernel(gemm)}, {{0, 1}, {1, 3}}});
  }
};

}  // namespace

TEST_CASE("a pass is one event, and its charges are those of its ops", "[sim][pass]") {
  OverlappedPass step;
  step.builder.add_pass_op(step.gpu, step.pass);
  const StepGraph graph = std::move(step.builder).build();
  const ReplayResult result = replay(graph);
  CHECK(result.events == 1);
  // 0..3 alone, 3..8 half done and 8..8.5 the rest, 8.5..11.5
  CHECK(result.end == Picoseconds{11'500'000});
  const ChargedTime charged = charge_time(graph.structure, graph.timing, result).by_rank[RankClassId(0)];
  CHECK(charged[work] == us(9));
  CHECK(charged[exposed] == Picoseconds{2'500'000});  // what the collective took from the kernel beside it
}

TEST_CASE("a message beside a pass slows the kernel that is under way", "[sim][pass]") {
  OverlappedPass step;
  const LaneId out = step.builder.add_lane(step.gpu, LaneKind::communication, "out");
  step.builder.add_pass_op(step.gpu, step.pass);
  WorkTiming holding;
  holding.reserved_sms = 8;
  step.join(out, step.transfer(200, 100), holding);
  const StepGraph graph = std::move(step.builder).build();
  // The message takes 0..2 us: the first kernel has made 1 us of 3, and ends at 4 us.
  CHECK(replay(graph).end == Picoseconds{12'500'000});
}

TEST_CASE("a host that is late delays ops inside a pass", "[sim][pass]") {
  SmallStep step;
  const RankClassId gpu = step.rank("gpu");
  step.builder.add_pass_lane(gpu, step.compute_lane(gpu));
  WorkTiming launched = busy(1);
  launched.launch = us(2);
  const WorkId gemm = step.builder.add_work("gemm", launched);
  step.builder.add_pass_op(gpu, step.builder.add_pass({{kernel(gemm), kernel(gemm), kernel(gemm)}, {}}));
  const StepGraph graph = std::move(step.builder).build();
  const ReplayResult result = replay(graph);
  CHECK(result.end == us(7));  // issued at 2, 4 and 6 us
  const ChargedTime charged = charge_time(graph.structure, graph.timing, result).by_rank[RankClassId(0)];
  CHECK(charged[launch] == us(4 - 2 - 1 + 6 - 4 - 1 + 2));
}

TEST_CASE("a collective that may meet others is taken out of its pass", "[sim][pass]") {
  const auto events = [](std::uint64_t capacity) {
    OverlappedPass step(ResourceId(0));
    const ResourceId link = step.link(capacity);
    const LaneId out = step.builder.add_lane(step.gpu, LaneKind::communication, "out");
    step.builder.add_pass_op(step.gpu, step.pass);
    step.join(out, step.transfer(1000, 100, link));
    const StepGraph graph = std::move(step.builder).build();
    Replayer replayer(graph.structure);
    replayer.run(graph.timing);
    return replayer.structure().op_count();
  };
  CHECK(events(200) == 2);
  CHECK(events(150) == 5);
}

TEST_CASE("a pass without gates at its ends is refused", "[sim][pass]") {
  const WorkId any(0);
  const PassOp k = kernel(any), c = collective(any);
  CHECK_NOTHROW(PassShape({{k, c, k}, {{0, 1}, {1, 2}}}));
  CHECK_THROWS_AS(PassShape({{k, c, k}, {{0, 1}}}), std::logic_error);  // the end does not wait for the collective
  CHECK_THROWS_AS(PassShape({{k, c, k}, {{1, 2}}}), std::logic_error);  // the collective does not wait for the begin
  CHECK_THROWS_AS(PassShape({{k, c}, {{0, 1}}}), std::logic_error);
  CHECK_THROWS_AS(PassShape({{k, k}, {{1, 0}}}), std::logic_error);
  CHECK_THROWS_AS(PassShape({{}, {}}), std::logic_error);
  CHECK(PassShape({{k, c, k, k}, {{0, 1}, {1, 3}}}).gates == std::vector<std::uint32_t>{0, 3, 4});
}
