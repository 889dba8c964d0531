// SPDX-License-Identifier: Apache-2.0
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/breakdown.hpp"
#include "sim/power_meter.hpp"
#include "sim/replay.hpp"
#include "sim/split_mix.hpp"
#include "sim/step_graph_builder.hpp"
#include "sim/timeline.hpp"
#include "support/catch.hpp"
#include "support/random_step.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

ReplayResult replay(const StepGraph& graph) {
  return clusterwright::replay(graph.structure, graph.timing);
}

StepGraph random_graph() {
  return SymmetricMachine(random_program(), *rc::gen::arbitrary<bool>()).build();
}

bool same(const OpTrace& a, const OpTrace& b) {
  return a.start == b.start && a.active == b.active && a.end == b.end && a.unshared == b.unshared;
}

/// Watts of one rank at an instant, straight from the definition.
double rank_watts(const StepGraph& graph, const ReplayResult& result, RankClassId rank, Picoseconds at) {
  double watts = graph.timing.idle_power[rank].in(watt);
  for (std::size_t i = 0; i < graph.structure.op_count(); ++i) {
    const OpTrace& trace = result.ops[OpId(i)];
    const Lane& lane = graph.structure.lanes[graph.structure.op_lane[OpId(i)]];
    if (lane.rank != rank) continue;
    const WorkTiming& work = graph.timing.works[graph.structure.op_work[OpId(i)]];
    const double dynamic = graph.timing.control[rank].voltage.power(graph.timing.clock[rank]);
    if (trace.start <= at && at < trace.active) watts += work.waiting_power.in(watt);
    if (!(trace.active <= at && at < trace.end)) continue;
    // A kernel that shares takes the energy that it takes alone, over a longer time.
    const double alone =
        lane.kind == LaneKind::compute ? to_seconds(trace.unshared) / to_seconds(trace.end - trace.active) : 1;
    watts += alone * work.power.in(watt) * (work.clock_share * dynamic + 1 - work.clock_share);
  }
  return std::min(watts, graph.timing.power_limit[rank].in(watt));
}

/// Every instant at which some op changes state, ascending, with the end of the step.
std::vector<Picoseconds> instants(const ReplayResult& result) {
  std::vector<Picoseconds> times{{0}, result.end};
  for (const OpTrace& trace : result.ops) times.insert(times.end(), {trace.start, trace.active, trace.end});
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// 64 hosts, 4 per leaf, 4 leaves per group, 4 groups; as many uplinks as hosts on every level, 50 GB/s each.
class FatTree64 {
 public:
  explicit FatTree64(StepGraphBuilder& builder) {
    for (std::size_t i = 0; i < kinds * 64; ++i)
      links_.push_back(builder.add_resource("link", 50 * gigabyte_per_second));
  }

  /// The destination alone decides the way up.
  std::vector<StepGraphBuilder::LegUse> route(std::size_t from, std::size_t to) const {
    const std::size_t plane = to % 4;
    const std::size_t core = to / 4 % 4;
    const auto switch_link = [&](std::size_t host) { return host / 16 * 16 + plane * 4 + core; };
    const auto leaf_link = [&](std::size_t host) { return host / 4 * 4 + plane; };
    std::vector<StepGraphBuilder::LegUse> uses{{link(0, from)}, {link(1, to)}};
    if (from / 4 != to / 4) uses.insert(uses.end(), {{link(2, leaf_link(from))}, {link(3, leaf_link(to))}});
    if (from / 16 != to / 16) uses.insert(uses.end(), {{link(4, switch_link(from))}, {link(5, switch_link(to))}});
    return uses;
  }

 private:
  static constexpr std::size_t kinds = 6;  // host, leaf, switch; up and down
  ResourceId link(std::size_t kind, std::size_t index) const { return links_[kind * 64 + index]; }
  std::vector<ResourceId> links_;
};

/// `rounds` random permutations without fixed point, all flows at once, of 0.5 to 1.5 GB.
StepGraph permutation_flows(std::size_t rounds) {
  StepGraphBuilder builder({"flow"}, {ChargeId(0), ChargeId(0), ChargeId(0)});
  const FatTree64 tree(builder);
  const PowerDomainId domain = builder.add_power_domain("hall");
  const WorkId work = builder.add_work("flow", {});
  SplitMix draws(42);
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<std::size_t> to(64);
    std::iota(to.begin(), to.end(), 0);
    for (std::size_t i = 63; i > 0; --i) std::swap(to[i], to[draws.below(i)]);
    for (std::size_t host = 0; host < 64; ++host) {
      const LegTiming timing{{0}, 500'000'000 + draws.below(1'000'000'000), 50'000'000'000, 1};
      const ChainId chain = builder.add_chain({{timing, tree.route(host, to[host])}});
      const LaneId lane = builder.add_lane(builder.add_rank_class("host", 1, domain, 1 * watt, 1 * watt),
                                           LaneKind::communication, "flow");
      builder.add_op(lane, work, ChargeId(0), builder.add_rendezvous(chain, ChargeId(0)));
    }
  }
  return std::move(builder).build();
}

}  // namespace

TEST_CASE("flows on a fat tree end when an independent flow simulator says so", "[laws]") {
  // SimGrid 3.32, max-min fair without latency, prints nine digits; rates here are whole bytes per second.
  CHECK(to_seconds(replay(permutation_flows(1)).end).in(second) == Approx(0.072349831).epsilon(1e-8));
  CHECK(to_seconds(replay(permutation_flows(8)).end).in(second) == Approx(0.286267359).epsilon(1e-8));
}

TEST_CASE("folded and unfolded agree: times exactly, energies to 1e-12", "[laws]") {
  REQUIRE(rc::check("every op of every replica does what its class does", [] {
    const RandomProgram program = random_program();
    SymmetricMachine folded_machine(program, true);
    SymmetricMachine unfolded_machine(program, false);
    const auto folded_ops = folded_machine.ops();
    const auto unfolded_ops = unfolded_machine.ops();
    const StepGraph folded = std::move(folded_machine).build();
    const StepGraph unfolded = std::move(unfolded_machine).build();
    const ReplayResult a = replay(folded);
    const ReplayResult b = replay(unfolded);
    RC_ASSERT(a.end == b.end);
    for (std::size_t i = 0; i < folded_ops.size(); ++i)
      for (const auto& replica : unfolded_ops[i])
        for (std::size_t member = 0; member < replica.size(); ++member)
          RC_ASSERT(same(a.ops[folded_ops[i][0][member]], b.ops[replica[member]]));

    const auto power = meter_power(folded.structure, folded.timing, a)[PowerDomainId(0)];
    const auto unfolded_power = meter_power(unfolded.structure, unfolded.timing, b)[PowerDomainId(0)];
    const double energy = power.energy.in(joule);
    RC_ASSERT(std::abs(energy - unfolded_power.energy.in(joule)) <= 1e-12 * energy);
    RC_ASSERT(power.samples.size() == unfolded_power.samples.size());
  }));
}

TEST_CASE("the charges of every rank add up to the step", "[laws]") {
  REQUIRE(rc::check("sum of charges == end, to the picosecond, and none is negative", [] {
    const StepGraph graph = random_graph();
    const ReplayResult result = replay(graph);
    const Breakdown breakdown = charge_time(graph.structure, graph.timing, result);
    for (const ChargedTime& rank : breakdown.by_rank) {
      Picoseconds sum;
      for (const Picoseconds time : rank) {
        RC_ASSERT(time.count >= 0);
        sum += time;
      }
      RC_ASSERT(sum == result.end);
    }
  }));
}

TEST_CASE("the same step replays to the same result", "[laws]") {
  REQUIRE(rc::check("traces, arrivals and event counts are equal", [] {
    const StepGraph graph = random_graph();
    const ReplayResult a = replay(graph);
    const ReplayResult b = replay(graph);
    RC_ASSERT(a.events == b.events);
    RC_ASSERT(a.last_arrival == b.last_arrival);
    for (std::size_t i = 0; i < a.ops.size(); ++i) {
      RC_ASSERT(same(a.ops[OpId(i)], b.ops[OpId(i)]));
      RC_ASSERT(a.ops[OpId(i)].released_by == b.ops[OpId(i)].released_by);
    }
  }));
}

TEST_CASE("an op starts the moment its last condition is met", "[laws]") {
  REQUIRE(rc::check("start == max(dependencies, lane, host), and sharing only ever costs time", [] {
    const StepGraph graph = random_graph();
    const StepStructure& structure = graph.structure;
    const ReplayResult result = replay(graph);
    std::vector<Picoseconds> ready(structure.op_count());
    std::vector<Picoseconds> host(structure.ranks.size());
    const auto wait_for = [&](OpId before, OpId after) {
      ready[after.value] = std::max(ready[after.value], result.ops[before].end);
    };
    for (std::size_t i = 0; i < structure.op_count(); ++i) {
      const OpId op(i);
      const RankClassId rank = structure.lanes[structure.op_lane[op]].rank;
      host[rank.value] += graph.timing.works[structure.op_work[op]].launch;
      ready[i] = std::max(ready[i], host[rank.value]);
      for (std::uint32_t k = structure.successor_begin[i]; k < structure.successor_begin[i + 1]; ++k)
        wait_for(op, structure.successor[k]);
      if (structure.next_in_lane[op].exists()) wait_for(op, structure.next_in_lane[op]);
    }
    for (std::size_t i = 0; i < structure.op_count(); ++i) {
      const OpTrace& trace = result.ops[OpId(i)];
      RC_ASSERT(trace.start == ready[i]);
      RC_ASSERT(trace.active >= trace.start);
      RC_ASSERT(trace.end - trace.active >= trace.unshared);
      if (trace.released_by.exists()) RC_ASSERT(result.ops[trace.released_by].end == trace.start);
      const RendezvousId rendezvous = structure.op_rendezvous[OpId(i)];
      const Picoseconds begun = rendezvous.exists() ? result.ops[result.last_arrival[rendezvous]].start : trace.start;
      RC_ASSERT(trace.active == begun);
    }
  }));
}

TEST_CASE("alone, everything takes exactly its own time", "[laws]") {
  REQUIRE(rc::check("with wide links and nothing reserved, end - active == unshared", [] {
    RandomProgram program = random_program();
    program.nic_capacity = program.uplink_capacity = 100'000'000'000'000;
    for (RandomInstruction& instruction : program.instructions) {
      instruction.work.reserved_sms = 0;
      instruction.work.memory_percent = 0;
    }
    const StepGraph graph = SymmetricMachine(program, *rc::gen::arbitrary<bool>()).build();
    const ReplayResult result = replay(graph);
    for (const OpTrace& trace : result.ops) RC_ASSERT(trace.end - trace.active == trace.unshared);
    RC_ASSERT(result.sharing_losses.empty());
  }));
}

TEST_CASE("energy is the integral of power", "[laws]") {
  REQUIRE(rc::check("samples, mean and peak follow from the ranks", [] {
    const StepGraph graph = random_graph();
    const ReplayResult result = replay(graph);
    const auto power = meter_power(graph.structure, graph.timing, result)[PowerDomainId(0)];
    const auto times = instants(result);
    double energy = 0;
    double peak = 0;
    for (std::size_t i = 0; i + 1 < times.size(); ++i) {
      double watts = 0;
      for (std::size_t rank = 0; rank < graph.structure.ranks.size(); ++rank)
        watts += graph.structure.ranks[RankClassId(rank)].multiplicity *
                 rank_watts(graph, result, RankClassId(rank), times[i]);
      energy += watts * to_seconds(times[i + 1] - times[i]).in(second);
      peak = std::max(peak, watts);
    }
    // Power is metered in whole microwatts per op and rank.
    RC_ASSERT(std::abs(power.energy.in(joule)-energy) <= 1e-7 * energy);
    if (result.end.count > 0) {
      RC_ASSERT(std::abs(power.peak.in(watt)-peak) <= 1e-7 * peak);
      RC_ASSERT(std::abs((power.mean * to_seconds(result.end)).in(joule)-energy) <= 1e-7 * energy);
    }

    double sampled = 0;
    for (std::size_t i = 0; i < power.samples.size(); ++i) {
      const Picoseconds until = i + 1 < power.samples.size() ? power.samples[i + 1].from : result.end;
      RC_ASSERT(until > power.samples[i].from || result.end.count == 0);
      sampled += (power.samples[i].power * to_seconds(until - power.samples[i].from)).in(joule);
    }
    RC_ASSERT(std::abs(sampled - power.energy.in(joule)) <= 1e-12 * sampled);
  }));
}

TEST_CASE("bars of a lane do not overlap", "[laws]") {
  REQUIRE(rc::check("each bar begins where the one before has ended", [] {
    const StepGraph graph = random_graph();
    std::vector<double> busy_until(graph.structure.lanes.size(), 0);
    for (const TimelineEvent& event : make_timeline(graph.structure, replay(graph))) {
      const double picosecond_in_us = 1e-6;
      RC_ASSERT(event.start_us >= busy_until[event.lane.value] - picosecond_in_us / 2);
      RC_ASSERT(event.duration_us >= 0);
      busy_until[event.lane.value] = event.start_us + event.duration_us;
    }
  }));
}
