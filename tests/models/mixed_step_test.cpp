// SPDX-License-Identifier: Apache-2.0
// Steps on nodes of several kinds.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "models/job/scenario_loader.hpp"
#include "models/job/uniform_scenario.hpp"
#include "models/lowering/rank_classes.hpp"
#include "models/memory/kind_memory.hpp"
#include "models/plan/mixed_nodes.hpp"
#include "models/prediction/mixed_use.hpp"
#include "models/prediction/predict_scale.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/search/layout_search.hpp"
#include "models/settling/step_simulation.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "support/catch.hpp"
#include "support/mixed_scenario.hpp"
#include "topology/cluster/uniform_cluster.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Four replicas of two stages on two nodes each; multiplies dominate.
SmallCase four_replicas() {
  SmallCase c;
  c.tensor = 4;
  c.pipeline = 2;
  c.data = 4;
  c.micro_batches = 4;
  c.hidden = 4096;
  c.heads = 32;
  c.sequence = 2048;
  return c;
}

/// One rank of each node in every replica: stages are outermost, so the last stage is on the last nodes.
SmallCase stages_on_kinds() {
  SmallCase c = four_replicas();
  c.tensor = 8;
  c.data = 1;
  c.micro_batches = 8;
  return c;
}

SmallCase sharded_groups() {
  SmallCase c = four_replicas();
  c.tensor = 2;
  c.pipeline = 1;
  c.data = 16;
  c.sharding = Sharding::hsdp;
  c.shard_group = 8;
  return c;
}

SmallCase context_pairs() {
  SmallCase c = four_replicas();
  c.tensor = 2;
  c.context = 4;
  c.data = 2;
  return c;
}

SmallCase expert_groups() {
  SmallCase c = four_replicas();
  c.pipeline = 1;
  c.data = 8;
  c.tensor = 4;
  c.experts = ExpertMixture{};
  c.experts->experts = 8;
  c.experts->per_token = 2;
  c.experts->ffn = 1024;
  c.expert = 4;
  return c;
}

SmallCase tapered() {
  SmallCase c = four_replicas();
  c.tiers = {{"leaf", 8, 4, ""}, {"spine", 64, 1, ""}};
  c.nic_gbit_per_s = 50;
  return c;
}

SmallCase host_optimizer() {
  SmallCase c = four_replicas();
  c.offload.optimizer = MemoryLevel::host;
  return c;
}

const std::vector<std::function<SmallCase()>> cases = {four_replicas, stages_on_kinds, sharded_groups, context_pairs,
                                                       expert_groups, tapered,         host_optimizer};

StepSummary summary_of(const Scenario& s) {
  return summarise_step(s, plan_of(s));
}

Seconds settled_step_of(const Scenario& s) {
  return to_seconds(time_step(s, plan_of(s)).end);
}

void half_speed(AcceleratorPart& part) {
  for (auto* rates : {&part.peak_dense_tflops, &part.best_gemm_tflops})
    for (auto& [format, rate] : *rates) rate.value *= 0.5;
  part.memory_bandwidth.value *= 0.5;
}

std::string code_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const ConfigError& error) {
    return error.diagnostics().front().code;
  }
  return "accepted";
}

}  // namespace

TEST_CASE("two kinds of nodes with the same part take the step of one kind to the picosecond", "[models][mixed]") {
  for (const auto& make : cases) {
    const SmallCase c = make();
    const StepSummary alike = summary_of(small_scenario(c));
    const Scenario mixed = scenario_beside_twin(c, 8);
    REQUIRE(mixed.cluster.kinds() == 2);
    const StepSummary both = summary_of(mixed);
    INFO("case " << (&make - cases.data()));
    CHECK(both.end == alike.end);
    CHECK(both.energy.in(joule) == Approx(alike.energy.in(joule)).epsilon(1e-9));
    CHECK(both.busy.size() == 2);
    CHECK(alike.busy.empty());
  }
}

TEST_CASE("nodes that are described alike are of one kind, however often and in whatever order", "[models][mixed]") {
  const SmallCase c = four_replicas();
  Scenario split = small_scenario(c);
  ClusterSpec spec = small_cluster(c);
  spec.also = {{8, spec.node}, {8, spec.node}};
  split.cluster = build_cluster(spec, parts(), split.source);
  CHECK(split.cluster.mixed());
  CHECK(split.cluster.kinds() == 1);
  const Scenario whole = small_scenario(c);
  CHECK(lower_training_step(split, plan_of(split), Folding::folded).timing ==
        lower_training_step(whole, plan_of(whole), Folding::folded).timing);
  const StepPrediction a = predict_step(split), b = predict_step(whole);
  CHECK(a.step_time == b.step_time);
  CHECK(a.high == b.high);
  CHECK(a.verdict == b.verdict);
  CHECK_FALSE(a.mixed);

  // 16 A100 in one entry, or 8 and 8
  const Scenario once = mixed_scenario(c, 16);
  Scenario twice = once;
  ClusterSpec halves = small_cluster(c);
  SmallCase ampere = c;
  ampere.hopper = false;
  halves.also = {{8, small_cluster(ampere).node}, {8, small_cluster(ampere).node}};
  twice.cluster = build_cluster(halves, parts(), twice.source);
  CHECK(twice.cluster.kinds() == 2);
  CHECK(settled_step_of(twice) == settled_step_of(once));
}

TEST_CASE("classes split by kind of node and nothing else", "[models][mixed]") {
  SmallCase c = four_replicas();
  const Scenario stages = mixed_scenario(c, 16);  // stage 0 of all replicas is on H100, stage 1 on A100
  CHECK(rank_classes(stages, Placement(plan_of(stages), stages.cluster.blocks), Folding::folded).count() == 2);
  c.rank_order = RankOrder::tensor_context_pipeline_data;  // a replica fills a node
  const Scenario mixed = mixed_scenario(c, 16);
  const Placement placement(plan_of(mixed), mixed.cluster.blocks);
  const RankClasses one = rank_classes(small_scenario(c), placement, Folding::folded);
  const RankClasses two = rank_classes(mixed, placement, Folding::folded);
  CHECK(one.count() == 2);
  CHECK(two.count() == 4);
  int on_second = 0;
  for (const RankClassId id : two.ids()) on_second += two.kind(id) * two.multiplicity(id);
  CHECK(on_second == 16);
  CHECK(two.kind(two.class_of({0, 0, 0})) == 0);
  CHECK(two.kind(two.class_of({0, 3, 1})) == 1);
}

TEST_CASE("a folded step on two kinds of nodes is the unfolded one", "[models][mixed]") {
  for (const auto& make : {four_replicas, stages_on_kinds, sharded_groups}) {
    const Scenario mixed = mixed_scenario(make(), 8);
    const Plan plan = plan_of(mixed);
    CHECK(simulate_step(mixed, plan, Folding::folded).result.end ==
          simulate_step(mixed, plan, Folding::unfolded).result.end);
  }
}

TEST_CASE("a mixed data-parallel step lies between the steps on the fast and the slow machine", "[models][mixed]") {
  for (const int second : {8, 16, 24})
    for (const auto& make : {four_replicas, sharded_groups, context_pairs}) {
      const SmallCase fast = make();
      SmallCase slow = fast;
      slow.hopper = false;
      const Seconds mixed = settled_step_of(mixed_scenario(fast, second));
      CHECK(mixed > settled_step_of(small_scenario(fast)));
      CHECK(mixed <= 1.01 * settled_step_of(small_scenario(slow)));
      // Whichever of the replicas are on the slow nodes: the same step within the choices of collectives.
      if (fast.pipeline == 1)
        CHECK(settled_step_of(mixed_scenario(slow, fast.accelerators() - second)) / mixed == Approx(1).epsilon(0.01));
    }
}

TEST_CASE("replicas on fast nodes wait for those on slow nodes", "[models][mixed]") {
  // Every replica does the same work, and the reduction of gradients waits for the last one. So the step is that of the
  // slow machine, and ranks that are twice as fast are half as long in kernels.
  SmallCase c = four_replicas();
  c.pipeline = 1;
  c.tensor = 8;
  Scenario mixed = scenario_beside_twin(c, 8, half_speed), slow = scenario_of_twins(c, half_speed);
  for (Scenario* s : {&mixed, &slow}) s->stack.kernel_launch.value = {};
  const StepSummary step = summary_of(mixed);
  CHECK(to_seconds(step.end) / settled_step_of(slow) == Approx(1).epsilon(1e-3));
  CHECK(step.busy[0] / step.busy[1] == Approx(0.5).epsilon(0.15));  // gaps between kernels stay
}

TEST_CASE("a pipeline over a fast and a slow stage takes one fast and all slow passes", "[models][mixed]") {
  // 1F1B on P = 2 stages of equal layers with M = 8 micro-batches. A pass forward and backward of a stage takes t_f or
  // t_s = 2 t_f. Uniform machines take (M + P - 1) t = 9 t. With the slow stage last, the fast one feeds it and drains:
  //   mixed = t_f + M t_s = (9 t_f + 8 * 9 t_s) / 9 = (uniform fast + 8 * uniform slow) / 9
  SmallCase c = stages_on_kinds();
  c.layers = 16;
  c.hidden = 8192;
  c.heads = 64;
  c.vocabulary = 256;
  Scenario mixed = scenario_beside_twin(c, 8, half_speed), fast = small_scenario(c),
           slow = scenario_of_twins(c, half_speed);
  for (Scenario* s : {&mixed, &fast, &slow}) s->stack.kernel_launch.value = {};
  const Seconds by_hand = (settled_step_of(fast) + 8 * settled_step_of(slow)) / 9.0;
  CHECK(settled_step_of(mixed) / by_hand == Approx(1).epsilon(0.02));
  // A third of the layers on the slow stage balances the two.
  SmallCase balanced = c;
  balanced.layers = 18;
  balanced.stage_layers = {12, 6};
  c.layers = 18;
  Scenario even = scenario_beside_twin(c, 8, half_speed), uneven = scenario_beside_twin(balanced, 8, half_speed);
  CHECK(settled_step_of(uneven) < 0.8 * settled_step_of(even));
}

TEST_CASE("memory is judged on each kind of nodes, by its own capacity", "[models][mixed]") {
  const SmallCase c = stages_on_kinds();
  const Scenario ample = scenario_beside_twin(c, 8);
  const Plan plan = plan_of(ample);
  const Bytes scarce = 0.9 * memory_by_kind(ample, plan).at(1).use.total();
  const Scenario mixed = scenario_beside_twin(c, 8, [&](AcceleratorPart& part) {
    part.memory.value = scarce;
    part.addressable_memory.reset();
  });
  const std::vector<KindMemory> kinds = memory_by_kind(mixed, plan);
  REQUIRE(kinds.size() == 2);
  CHECK(kinds[0].use.stage == 0);
  CHECK(kinds[1].use.stage == 1);  // the only stage on its nodes
  CHECK(kinds[1].capacity == scarce);
  CHECK(kinds[0].use.total() > kinds[1].use.total());  // more micro-batches under way
  const KindMemory fullest = fullest_memory(mixed, plan);
  CHECK(fullest.kind == 1);
  const StepPrediction step = predict_step(mixed);
  CHECK_FALSE(step.fits);
  CHECK(step.memory_capacity == scarce);
  CHECK(step.verdict.starts_with("does not fit: each rank of pipeline stage 1 on Twin needs"));
}

TEST_CASE("a prediction names the kinds, the one that is waited for and its cost", "[models][mixed]") {
  const SmallCase c = four_replicas();
  const StepPrediction step = predict_step(mixed_scenario(c, 16));
  REQUIRE(step.mixed);
  const MixedUse& use = *step.mixed;
  CHECK(use.kinds.at(0).accelerators == 16);
  CHECK(use.kinds.at(1).accelerators == 16);
  CHECK(use.kinds.at(use.waited_for).name == "A100-80-SXM");
  CHECK(use.kinds.at(use.fastest).name == "H100-SXM");
  CHECK(use.kinds.at(0).alone == settled_step_of(small_scenario(c)));
  CHECK((use.kinds.at(0).alone + use.loss) / step.step_time == Approx(1));
  // The interval is that of the less certain kind.
  for (const Scenario& kind : uniform_scenarios(mixed_scenario(c, 16)))
    CHECK(step.uncertainty.sigma >= 0.9 * predict_step(kind).uncertainty.sigma);
  // MFU counts the mean peak of the machine.
  const double peaks = 0.5 * (989.4 + 312);
  CHECK(step.model_flops_per_accelerator.in(teraflop_per_second) / step.mfu == Approx(peaks).epsilon(0.01));
}

TEST_CASE("a uniform view keeps the machine and its network", "[models][mixed]") {
  const Scenario mixed = mixed_scenario(four_replicas(), 8);
  const Cluster second = uniform_cluster(mixed.cluster, 1);
  CHECK(second.accelerator.id == "A100-80-SXM");
  CHECK(second.kinds() == 1);
  CHECK(second.nodes() == mixed.cluster.nodes());
  CHECK(second.routed == mixed.cluster.routed);
  CHECK(uniform_scenario(mixed, 1).parameters.name == mixed.by_kind.front().parameters.name);
  CHECK(kind_name(mixed.cluster, 1) == "A100-80-SXM");
  CHECK(accelerators_of_kind(mixed.cluster, 0) == 24);
  CHECK(accelerators_of_kind(mixed.cluster, 1) == 8);
}

TEST_CASE("a file takes the parameters of every kind, and a named set those of the kinds that it was measured on",
          "[models][mixed]") {
  const std::filesystem::path folder = CLUSTERWRIGHT_CONFIGS;
  for (const bool named : {false, true}) {
    ScenarioOptions options;
    if (named) options.parameters = folder / "parameters" / "h100-sxm.json";
    const Scenario s = load_scenario(folder / "scenarios" / "llama3-70b-mixed.json", options);
    CHECK(s.parameters.accelerator == "H100-SXM");
    REQUIRE(s.by_kind.size() == 1);
    CHECK(s.by_kind.front().parameters.accelerator == "A100-80-SXM");
  }
}

TEST_CASE("what is modelled for one kind of nodes only is refused on several", "[models][mixed]") {
  const Scenario mixed = mixed_scenario(four_replicas(), 8);
  CHECK(code_of([&] { predict_scale(mixed, {32}, true, {}, {}); }) == "E0324");
  CHECK(code_of([&] { check_any_layout(mixed); }) == "E0324");
  CHECK(code_of([&] { refuse_several_kinds(mixed, "this"); }) == "E0324");
  Scenario placed = mixed;
  placed.job.placement.emplace();
  CHECK(code_of([&] { resolve_plan(placed); }) == "E0324");
  Scenario racks = mixed;
  racks.cluster.groups.back().domain = 16;
  CHECK(code_of([&] { resolve_plan(racks); }) == "E0324");
  CHECK(code_of([&] { resolve_plan(mixed); }) == "accepted");
}
