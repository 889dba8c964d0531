// SPDX-License-Identifier: Apache-2.0
#include "sim/power_meter.hpp"

#include "support/catch.hpp"
#include "support/small_step.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

WorkTiming drawing(std::int64_t microseconds, Watts power) {
  WorkTiming timing = busy(microseconds);
  timing.power = power;
  return timing;
}

DomainPower measure(const StepGraph& graph) {
  return meter_power(graph.structure, graph.timing, replay(graph))[PowerDomainId(0)];
}

}  // namespace

TEST_CASE("power follows the ops: idle, busy, idle", "[sim]") {
  SmallStep step;
  const LaneId lane = step.compute_lane(step.rank("gpu"));
  step.compute(lane, drawing(3, 500 * watt));
  step.compute(lane, drawing(1, 0 * watt));
  const auto power = measure(std::move(step.builder).build());
  // (100 + 500) x 3 us + 100 x 1 us = 1.9 mJ
  REQUIRE(power.samples.size() == 2);
  CHECK(power.samples[0].from == us(0));
  CHECK(power.samples[0].power.in(watt) == Approx(600));
  CHECK(power.samples[1].from == us(3));
  CHECK(power.samples[1].power.in(watt) == Approx(100));
  CHECK(power.energy.in(joule) == Approx(1.9e-3));
  CHECK(power.mean.in(watt) == Approx(475));
  CHECK(power.peak.in(watt) == Approx(600));
}

TEST_CASE("a class counts once per rank, and equal neighbours leave no sample", "[sim]") {
  SmallStep step;
  const LaneId lane = step.compute_lane(step.rank("gpu", 8));
  step.compute(lane, drawing(2, 300 * watt));
  step.compute(lane, drawing(2, 300 * watt));
  const auto power = measure(std::move(step.builder).build());
  REQUIRE(power.samples.size() == 1);
  CHECK(power.samples[0].power.in(watt) == Approx(8 * 400));
}

TEST_CASE("waiting for partners draws its own power", "[sim]") {
  SmallStep step;
  const RankClassId early = step.rank("early");
  const RankClassId slow = step.rank("slow");
  WorkTiming timing;
  timing.power = 70 * watt;
  timing.waiting_power = 20 * watt;
  const RendezvousId message = step.transfer(200, 100);
  step.join(step.network_lane(early), message, timing);
  const LaneId slow_compute = step.compute_lane(slow);
  step.compute(slow_compute, 3);
  step.join(slow_compute, message, timing);
  const auto power = measure(std::move(step.builder).build());
  // 0..3: 2 x 100 + 20; 3..5: 2 x (100 + 70)
  REQUIRE(power.samples.size() == 2);
  CHECK(power.samples[0].power.in(watt) == Approx(220));
  CHECK(power.samples[1].from == us(3));
  CHECK(power.samples[1].power.in(watt) == Approx(340));
}

TEST_CASE("a rank never draws more than its limit", "[sim]") {
  StepGraphBuilder builder({"work"}, {ChargeId(0), ChargeId(0), ChargeId(0)});
  const RankClassId rank = builder.add_rank_class("gpu", 2, builder.add_power_domain("rack"), 100 * watt, 450 * watt);
  const LaneId lane = builder.add_lane(rank, LaneKind::compute, "compute");
  builder.add_op(lane, builder.add_work("gemm", drawing(1, 600 * watt)), ChargeId(0));
  const auto power = measure(std::move(builder).build());
  // 2 x min(450, 100 + 600)
  CHECK(power.peak.in(watt) == Approx(900));
}

TEST_CASE("the clock's share of the power goes with clock^2.4", "[sim]") {
  SmallStep step;
  WorkTiming timing = drawing(1, 500 * watt);
  timing.clock_share = 0.8;
  step.compute(step.compute_lane(step.rank("gpu")), timing);
  StepGraph graph = std::move(step.builder).build();
  graph.timing.clock[RankClassId(0)] = 0.5;
  graph.timing.control[RankClassId(0)].voltage.exponent = 2.4;
  // 100 + 500 x (0.8 x 0.5^2.4 + 0.2) = 100 + 500 x 0.35157 = 275.79
  CHECK(measure(graph).peak.in(watt) == Approx(275.786).epsilon(1e-5));
}

TEST_CASE("a domain without work draws the idle power of its ranks", "[sim]") {
  SmallStep step;
  step.rank("gpu", 4);
  const auto power = measure(std::move(step.builder).build());
  REQUIRE(power.samples.size() == 1);
  CHECK(power.mean.in(watt) == Approx(400));
  CHECK(power.energy.in(joule) == 0);
}

TEST_CASE("domains are metered apart", "[sim]") {
  SmallStep step;
  const PowerDomainId other = step.builder.add_power_domain("other rack");
  step.compute(step.compute_lane(step.rank("here")), drawing(2, 200 * watt));
  step.builder.add_rank_class("there", 1, other, 50 * watt, 1e9 * watt);
  const StepGraph graph = std::move(step.builder).build();
  const auto power = meter_power(graph.structure, graph.timing, replay(graph));
  CHECK(power[PowerDomainId(0)].mean.in(watt) == Approx(300));
  CHECK(power[other].mean.in(watt) == Approx(50));
}

TEST_CASE("for the length of a kernel a rank may draw more than its limit", "[sim]") {
  StepGraphBuilder builder({"work"}, {ChargeId(0), ChargeId(0), ChargeId(0)});
  builder.set_power_control({{}, true, 1.4});
  const RankClassId rank = builder.add_rank_class("gpu", 1, builder.add_power_domain("rack"), 100 * watt, 450 * watt);
  const LaneId lane = builder.add_lane(rank, LaneKind::compute, "compute");
  builder.add_op(lane, builder.add_work("gemm", drawing(1, 400 * watt)), ChargeId(0));
  builder.add_op(lane, builder.add_work("burst", drawing(1, 600 * watt)), ChargeId(0));
  const auto power = measure(std::move(builder).build());
  REQUIRE(power.samples.size() == 2);
  CHECK(power.samples[0].power.in(watt) == Approx(500));  // 100 + 400
  CHECK(power.samples[1].power.in(watt) == Approx(590));  // 100 + min(600, 1.4 x 350)
}

TEST_CASE("a kernel that others slow down takes the energy that it takes alone", "[sim]") {
  SmallStep step;
  const RankClassId gpu = step.rank("gpu");
  WorkTiming timing = drawing(4, 300 * watt);
  timing.sm_table = step.builder.add_sm_table({{{0, 1}, {8, 2}}});
  step.compute(step.compute_lane(gpu), timing);
  WorkTiming message;
  message.reserved_sms = 8;
  const RendezvousId alone = step.transfer(200, 100);  // 2 us
  step.join(step.network_lane(gpu), alone, message);
  const DomainPower power = measure(std::move(step.builder).build());
  // 2 us at half speed, 3 us at full: 5 us, of which idle power takes all and the kernel 4 us x 300 W.
  CHECK(power.energy.in(joule) == Approx(5e-6 * 100 + 4e-6 * 300));
}
