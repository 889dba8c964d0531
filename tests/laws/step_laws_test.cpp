// SPDX-License-Identifier: Apache-2.0
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "models/plan/plan.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "models/settling/step_simulation.hpp"
#include "sim/step_works.hpp"
#include "support/catch.hpp"
#include "support/folded_step.hpp"
#include "support/random_scenario.hpp"
#include "support/small_scenario.hpp"
#include "support/step_bounds.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

double seconds(Picoseconds time) {
  return to_seconds(time).in(second);
}

/// Every device at the reference clock.
Picoseconds end_at_reference_clock(const Scenario& s) {
  const StepGraph graph = lower_training_step(s, plan_of(s), Folding::folded);
  return replay(graph.structure, graph.timing).end;
}

/// The same, with nothing that ops running at once could take from each other.
Picoseconds end_without_sharing(const Scenario& s) {
  StepGraph graph = lower_training_step(s, plan_of(s), Folding::folded);
  constexpr std::uint64_t beyond_any_link = 1'000'000'000'000'000;
  for (WorkTiming& work : graph.timing.works) work.reserved_sms = 0, work.activity.memory = 0;
  graph.timing.capacity.assign(graph.timing.capacity.size(), beyond_any_link);
  return replay(graph.structure, graph.timing).end;
}

/// A transfer of one rendezvous over one instance of a resource.
struct Crossing {
  Picoseconds begin, end;
  double bytes = 0;
};

/// By resource, in order of their ends.
std::vector<std::vector<Crossing>> crossings_of(const StepSimulation& step) {
  const StepStructure& s = step.graph.structure;
  const StepTiming& timing = step.graph.timing;
  std::vector<std::vector<Crossing>> crossings(timing.capacity.size());
  for (std::size_t r = 0; r < s.rendezvous.size(); ++r) {
    const OpTrace& trace = step.result.ops[step.result.last_arrival[RendezvousId(r)]];
    const std::uint32_t chain = s.rendezvous[RendezvousId(r)].chain.value;
    for (std::uint32_t leg = s.chain_begin[chain]; leg < s.chain_begin[chain + 1]; ++leg)
      for (std::uint32_t u = s.use_begin[leg]; u < s.use_begin[leg + 1]; ++u) {
        const double per_byte = s.uses[u].count * (timing.coefficients[u] / static_cast<double>(coefficient_one));
        const double bytes = static_cast<double>(timing.legs[LegId(leg)].bytes) * per_byte;
        crossings[s.uses[u].resource.value].push_back({trace.active, trace.end, bytes});
      }
  }
  for (auto& list : crossings)
    std::sort(list.begin(), list.end(), [](const Crossing& a, const Crossing& b) { return a.end < b.end; });
  return crossings;
}

Scenario with_nic_rate(Scenario s, double factor) {
  s.cluster.spec.node.nic_rate = s.cluster.nic_bandwidth * factor;
  s.cluster = build_cluster(s.cluster.spec, parts(), s.source);
  return s;
}

Scenario with_peak(Scenario s, double factor) {
  for (auto& [format, rate] : s.cluster.accelerator.peak_dense_tflops) rate.value = rate.value * factor;
  return s;
}

Scenario with_memory_bandwidth(Scenario s, double factor) {
  s.cluster.accelerator.memory_bandwidth.value = s.cluster.accelerator.memory_bandwidth.value * factor;
  return s;
}

Scenario with_scale_up(Scenario s, double factor) {
  s.cluster.scale_up_bandwidth = s.cluster.scale_up_bandwidth * factor;
  return s;
}

double random_improvement() {
  return *rc::gen::element(1.01, 1.3, 2.0, 10.0);
}

}  // namespace

TEST_CASE("a step folded by symmetry equals the step of every rank", "[laws]") {
  REQUIRE(rc::check("each rank does what its class does, to the picosecond; energies agree to 1e-12", [] {
    const Scenario s = random_scenario();
    describe(s);
    assert_folds(s);
  }));
}

TEST_CASE("the charges of a step add up to it", "[laws]") {
  REQUIRE(rc::check("of every rank to the picosecond, in the mean to 1e-12", [] {
    const Scenario s = random_scenario();
    describe(s);
    const StepSimulation step = simulate_step(s, plan_of(s));
    for (const ChargedTime& rank : step.breakdown.by_rank) {
      Picoseconds sum;
      for (const Picoseconds time : rank) {
        RC_ASSERT(time.count >= 0);
        sum += time;
      }
      RC_ASSERT(sum == step.result.end);
    }
    double mean = 0;
    for (const Seconds time : step.breakdown.mean) mean += time.in(second);
    RC_ASSERT(std::abs(mean - seconds(step.result.end)) <= 1e-12 * mean);
  }));
}

TEST_CASE("no link carries more than its capacity", "[laws]") {
  REQUIRE(rc::check("whatever lies inside a window of time fits through it", [] {
    const Scenario s = random_scenario();
    describe(s);
    const StepSimulation step = flat(simulate_step(s, plan_of(s)));
    const auto crossings = crossings_of(step);
    for (std::size_t r = 0; r < crossings.size(); ++r) {
      const auto capacity = static_cast<double>(step.graph.timing.capacity[ResourceId(r)]);
      const std::size_t stride = 1 + crossings[r].size() / 32;
      for (std::size_t i = 0; i < crossings[r].size(); i += stride) {
        const Picoseconds begin = crossings[r][i].begin;
        double bytes = 0;
        for (const Crossing& c : crossings[r]) {
          if (c.begin < begin) continue;
          bytes += c.bytes;
          RC_ASSERT(bytes <= capacity * seconds(c.end - begin) * (1 + 1e-9) + 1);
        }
      }
    }
  }));
}

TEST_CASE("energy of a step is the integral of its power", "[laws]") {
  REQUIRE(rc::check("of the samples; the mean is energy over time; the peak is no less", [] {
    const Scenario s = random_scenario();
    describe(s);
    const StepSimulation step = simulate_step(s, plan_of(s));
    const DomainPower power = power_of(step);
    double sampled = 0;
    for (std::size_t i = 0; i < power.samples.size(); ++i) {
      const Picoseconds until = i + 1 < power.samples.size() ? power.samples[i + 1].from : step.result.end;
      sampled += power.samples[i].power.in(watt)*seconds(until - power.samples[i].from);
    }
    const double energy = power.energy.in(joule);
    RC_ASSERT(std::abs(sampled - energy) <= 1e-12 * energy);
    RC_ASSERT(std::abs(power.mean.in(watt)*seconds(step.result.end) - energy) <= 1e-12 * energy);
    RC_ASSERT(power.peak >= power.mean);
  }));
}

TEST_CASE("where nothing is shared, better hardware is never clearly slower", "[laws]") {
  // NCCL chooses by its own estimate, which a faster link may turn to what is slower in fact: of 10,000 random steps 16
  // got slower, the worst by 2.3 %.
  const auto law = [](Scenario (*with)(Scenario, double)) {
    return [with] {
      const Scenario s = random_scenario();
      describe(s);
      const double after = seconds(end_without_sharing(with(s, random_improvement())));
      RC_ASSERT(after <= 1.03 * seconds(end_without_sharing(s)));
    };
  };
  CHECK(rc::check("a higher matrix rate", law(with_peak)));
  CHECK(rc::check("more memory bandwidth", law(with_memory_bandwidth)));
  CHECK(rc::check("more scale-up bandwidth", law(with_scale_up)));
  CHECK(rc::check("faster NICs", law(with_nic_rate)));
}

TEST_CASE("where links and devices are shared, better hardware is hardly ever slower, and never by much", "[laws]") {
  // What ends earlier may meet another transfer or kernel in its way and hold up the critical path (Graham's anomaly).
  // Of 10,000 random steps 20 to 50 got slower, 3 to 7 by more than 0.1 %, the worst by 2.3 %; none with faster NICs.
  const auto law = [](Scenario (*with)(Scenario, double)) {
    return [with] {
      const Scenario s = random_scenario();
      describe(s);
      const double after = seconds(end_at_reference_clock(with(s, random_improvement())));
      RC_ASSERT(after <= 1.1 * seconds(end_at_reference_clock(s)));
    };
  };
  CHECK(rc::check("a higher matrix rate", law(with_peak)));
  CHECK(rc::check("more memory bandwidth", law(with_memory_bandwidth)));
  CHECK(rc::check("more scale-up bandwidth", law(with_scale_up)));
  CHECK(rc::check("faster NICs", law(with_nic_rate)));
}

TEST_CASE("every plan gets an answer, slower than the simplest bounds", "[laws]") {
  REQUIRE(rc::check("matrix work at the peak; parameters and gradients over NICs; messages over tapered links", [] {
    const Scenario s = random_scenario();
    describe(s);
    const StepPrediction step = predict_step(s);
    const double time = step.step_time.in(second);
    RC_ASSERT(time > least_compute_time(s, step.plan));
    RC_ASSERT(time > least_network_time(s, step.plan));
    RC_ASSERT(time > least_uplink_time(s, step.plan));
    RC_ASSERT(step.low < step.step_time);
    RC_ASSERT(step.high > step.step_time);
    RC_ASSERT(step.mfu > 0);
    RC_ASSERT(step.mfu < 1);
    RC_ASSERT(!step.verdict.empty());
    RC_ASSERT(!step.bottleneck.empty());
  }));
}

TEST_CASE("alone on one device, a step is the sum of its kernels", "[laws]") {
  REQUIRE(rc::check("and of the gradient norm's one reduction, to the picosecond", [] {
    SmallCase c = random_case();
    c.per_node = c.tensor = c.pipeline = c.virtual_pipeline = c.context = c.data = c.shard_group = 1;
    c.expert = 1;
    c.expert_tensor.reset();
    c.schedule = PipelineSchedule::one_forward_one_backward;
    c.stage_layers.clear();
    c.offload = {};
    c.tiers.clear();
    c.slow.clear();
    Scenario s = random_scenario(c);
    s.stack.kernel_launch.value = s.stack.experts.launch.value = {};
    s.stack.experts.overlap_shared = s.stack.experts.overlap_exchange = s.stack.experts.synchronises = false;
    const StepGraph graph = lower_training_step(s, plan_of(s), Folding::folded);
    Picoseconds sum;
    for_each_work(graph.structure, [&](const StepWork& op) {
      sum += Picoseconds{graph.timing.works[op.work].duration.count * static_cast<std::int64_t>(op.count)};
    });
    for (const LegTiming& leg : graph.timing.legs) sum += leg.delay;
    RC_ASSERT(graph.structure.rendezvous.size() == 1u);
    RC_ASSERT(replay(graph.structure, graph.timing).end == sum);
  }));
}

TEST_CASE("a stack that overlaps nothing does one thing after the other", "[laws]") {
  REQUIRE(rc::check(
      "without a pipeline, kernels and collectives of every rank, each as fast as alone, add up to the step", [] {
        SmallCase c = random_case();
        c.pipeline = c.virtual_pipeline = 1;
        c.schedule = PipelineSchedule::one_forward_one_backward;
        c.stage_layers.clear();
        // What is sharded layer by layer travels beside the layers before it; so do chunks of keys, and pieces.
        c.sharding = *rc::gen::element(Sharding::none, Sharding::zero1, Sharding::zero2);
        c.context = 1;
        c.offload = {};
        c.data = c.per_node * *rc::gen::element(1, 2);
        if (c.tensor * c.data % (c.expert * c.expert_tensor.value_or(1)) != 0) c.expert = 1;
        c.tiers = {{"all", 4096, 1, ""}};
        c.slow.clear();
        Scenario s = random_scenario(c);
        describe(s);
        s.stack.kernel_launch.value = s.stack.experts.launch.value = {};
        s.stack.experts.overlap_shared = s.stack.experts.overlap_exchange = false;
        s.stack.overlap_weight_gradient = s.stack.overlap_gradient_reduce = s.stack.overlap_parameter_gather = false;
        s.stack.tensor_overlap = TensorOverlap::none;
        s.stack.lean_activations = false;  // what is computed again may run beside a gather
        const StepSimulation step = flat(simulate_step(s, plan_of(s)));
        for (const std::vector<OpId>& rank : ops_by_class(step.graph.structure)) {
          Picoseconds busy;
          for (const OpId op : rank) {
            const OpTrace& trace = step.result.ops[op];
            RC_ASSERT(trace.end - trace.active == trace.unshared);
            busy += trace.unshared;
          }
          RC_ASSERT(busy == step.result.end);
        }
      }));
}

TEST_CASE("two steps at the same time do not disturb each other", "[laws]") {
  REQUIRE(rc::check("two threads get the same traces", [] {
    const Scenario s = random_scenario();
    const Plan plan = plan_of(s);
    std::array<StepSimulation, 2> steps;
    std::thread other([&] { steps[1] = simulate_step(s, plan); });
    steps[0] = simulate_step(s, plan);
    other.join();
    RC_ASSERT(steps[0].result.end == steps[1].result.end);
    RC_ASSERT(steps[0].result.events == steps[1].result.events);
    RC_ASSERT(steps[0].result.last_arrival == steps[1].result.last_arrival);
    for (std::size_t i = 0; i < steps[0].result.ops.size(); ++i)
      RC_ASSERT(same(steps[0].result.ops[OpId(i)], steps[1].result.ops[OpId(i)]));
    RC_ASSERT(power_of(steps[0]).energy == power_of(steps[1]).energy);
  }));
}
