// SPDX-License-Identifier: Apache-2.0
// The gate through which every result leaves: it passes what the models predict, and each law stops a result that
// breaks it.
#include <cstdlib>
#include <functional>
#include <limits>

#include "models/job/scenario_loader.hpp"
#include "models/kernels/collectives/collective_laws.hpp"
#include "models/kernels/collectives/predict_collective.hpp"
#include "models/prediction/predict_scale.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/step_laws.hpp"
#include "models/site/sizing/sized_cluster_laws.hpp"
#include "sim/law_check.hpp"
#include "support/catch.hpp"
#include "support/prices.hpp"
#include "support/shipped_clusters.hpp"
#include "support/shipped_folders.hpp"
#include "support/site_plans.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

Scenario shipped_scenario(const std::string& name) {
  ::setenv("CLUSTERWRIGHT_CONFIGS", CLUSTERWRIGHT_CONFIGS, 1);
  return load_scenario(configs / "scenarios" / (name + ".json"), {});
}

/// First law that a result breaks; empty if it breaks none.
template <class Check>
std::string broken_by(const Check& check) {
  try {
    check();
  } catch (const LawBroken& error) {
    return error.laws().front();
  }
  return {};
}

struct Broken {
  const char* law;  ///< beginning of the sentence
  std::function<void(StepPrediction&)> change;
};

const Broken broken_steps[] = {
    {"step time must be above 0", [](auto& s) { s.step_time = Seconds{}; }},
    {"step time must lie inside", [](auto& s) { s.low = 2 * s.step_time; }},
    {"time charged to bubble",
     [](auto& s) { s.breakdown[static_cast<std::size_t>(StepCharge::bubble)] = -1 * second; }},
    {"sum of causes", [](auto& s) { s.breakdown[0] *= 1.01; }},
    {"tokens/s times step time", [](auto& s) { s.tokens_per_second *= 1.01; }},
    {"MFU must be above 0", [](auto& s) { s.mfu = std::numeric_limits<double>::quiet_NaN(); }},
    {"MFU must be at most 1", [](auto& s) { s.mfu = 1.01; }},
    {"energy per token times tokens", [](auto& s) { s.power.energy_per_token *= 1.01; }},
    {"memory of each kind", [](auto& s) { s.memory.logits = -1 * byte; }},
    {"lowest power", [](auto& s) { s.power.nodes_trough = 1.01 * s.power.nodes_mean; }},
    {"highest power at the supplies must be at most peak",
     [](auto& s) { s.power.nodes_peak = 0.99 * s.power.nodes_crest; }},
    {"mean power must be at most highest", [](auto& s) { s.power.nodes_crest = 0.99 * s.power.nodes_mean; }},
    {"peak power", [](auto& s) { s.power.nodes_peak = 10 * s.power.nodes_peak; }},
    {"largest change of power", [](auto& s) { s.power.nodes_ramp = 2 * s.power.nodes_crest; }},
};

bool starts_with(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

}  // namespace

TEST_CASE("a step that breaks a law of physics or accounting never leaves the library", "[laws]") {
  const Scenario scenario = shipped_scenario("llama3-8b-h100-64");
  const StepPrediction step = predict_step(scenario);
  CHECK(broken_by([&] { check_laws(step, scenario); }).empty());
  for (const Broken& broken : broken_steps) {
    INFO(broken.law);
    StepPrediction changed = step;
    broken.change(changed);
    CHECK(starts_with(broken_by([&] { check_laws(changed, scenario); }), broken.law));
  }
}

namespace {

const Broken broken_runs[] = {
    {"steps of the run", [](auto& s) { s.training->steps = 0; }},
    {"tokens of the run must equal", [](auto& s) { s.training->tokens *= 1.01; }},
    {"time of the run must lie inside", [](auto& s) { s.training->time.low = 2 * s.training->time.high; }},
    {"pauses for checkpoints", [](auto& s) { s.training->checkpoints = 2 * s.training->time.value; }},
    {"time in steps", [](auto& s) { s.training->checkpoints = 0.01 * s.training->time.value; }},
    {"accelerator-hours must lie inside", [](auto& s) { s.training->accelerator_hours.high = 1; }},
    {"accelerator-hours must equal", [](auto& s) { s.training->accelerator_hours.value *= 1.01; }},
    {"energy of the run in kWh", [](auto& s) { s.training->nodes_energy.value *= 1.01; }},
    {"goodput must lie inside", [](auto& s) { s.training->rent->goodput = 1.01; }},
    {"rent without losses", [](auto& s) { s.training->rent->total.value *= 0.8; }},
};

}  // namespace

TEST_CASE("a training run whose parts do not add up never leaves the library", "[laws]") {
  Scenario scenario = shipped_scenario("llama3-8b-h100-64");
  scenario.job.tokens = 1'000'000'000'000;
  scenario.prices = shipped_prices("2024-h100");
  const StepPrediction step = predict_step(scenario);
  REQUIRE(step.training);
  CHECK(broken_by([&] { check_laws(step, scenario); }).empty());
  for (const Broken& broken : broken_runs) {
    INFO(broken.law);
    StepPrediction changed = step;
    broken.change(changed);
    CHECK(starts_with(broken_by([&] { check_laws(changed, scenario); }), broken.law));
  }
  scenario.job.tokens = 2'000'000'000'000;
  CHECK(starts_with(broken_by([&] { check_laws(step, scenario); }), "tokens asked for"));
}

TEST_CASE("a step never draws more than the ratings of its machines", "[laws]") {
  const Scenario scenario = shipped_scenario("llama3-8b-h100-64");
  StepPrediction step = predict_step(scenario);
  const double rated = 64 * 700 + 8 * step.power.node_host.in(watt);
  const double factor = 1.001 * rated / step.power.nodes_mean.in(watt);
  step.power.nodes_mean *= factor;
  step.power.nodes_peak *= factor;
  step.power.nodes_crest *= factor;
  step.power.energy_per_token *= factor;
  CHECK(starts_with(broken_by([&] { check_laws(step, scenario); }), "mean power must be at most rated power"));
}

TEST_CASE("a point of a curve has the speed-up and the interval of its throughput", "[laws]") {
  ScaleCurve curve = predict_scale(shipped_scenario("llama3-8b-h100-64"), {32, 64}, true, {});
  CHECK(broken_by([&] { check_laws(curve); }).empty());
  ScaleCurve faster = curve;
  faster.points[1].speedup *= 1.01;
  CHECK(starts_with(broken_by([&] { check_laws(faster); }), "speed-up"));
  curve.points[1].efficiency_high = 0.5 * curve.points[1].efficiency;
  CHECK(starts_with(broken_by([&] { check_laws(curve); }), "efficiency must lie inside"));
}

TEST_CASE("a collective inside a domain exceeds its wires only where switches reduce", "[laws]") {
  Cluster cluster = shipped_cluster("h100-single-node");
  REQUIRE(cluster.switch_reduction);
  const BytesPerSecond wire = 450 * gigabyte_per_second;  // NVLink 4, one direction
  CollectiveAnswer answer;
  answer.bytes = 1 * gigabyte;
  // 7/4 of the wire: each rank sends its data once, and 2 x 7 / 8 of it counts.
  const auto at_bus_bandwidth = [&](CollectiveOp op, double of_wire) {
    answer.bus_bandwidth = of_wire * wire;
    answer.algorithm_bandwidth = answer.bus_bandwidth / bus_factor(op, 8);
    answer.time = answer.low = answer.high = answer.bytes / answer.algorithm_bandwidth;
    return broken_by([&] { check_laws(answer, {op, 8, true, Seconds{}}, cluster); });
  };
  CHECK(at_bus_bandwidth(CollectiveOp::all_reduce, 1.74).empty());
  CHECK(starts_with(at_bus_bandwidth(CollectiveOp::all_reduce, 1.76), "bus bandwidth"));
  CHECK(at_bus_bandwidth(CollectiveOp::all_gather, 0.99).empty());
  CHECK(starts_with(at_bus_bandwidth(CollectiveOp::all_gather, 1.01), "bus bandwidth"));
  cluster.switch_reduction = false;
  CHECK(starts_with(at_bus_bandwidth(CollectiveOp::all_reduce, 1.01), "bus bandwidth"));
  CHECK(starts_with(broken_by([&] {
                      check_laws(answer, {CollectiveOp::send, 2, false, 2 * answer.time}, cluster);
                    }),
                    "time of the busiest link"));
}

TEST_CASE("a plan of a site adds up in power and money", "[laws]") {
  const Cluster cluster = shipped_cluster("dgx-h100-127");
  const SizedCluster plan = size_cluster({cluster, shipped_parts(), facility_of("air"), shipped_prices("default")});
  CHECK(broken_by([&] { check_laws(plan); }).empty());
  const auto broken = [&](const std::function<void(SizedCluster&)>& change) {
    SizedCluster changed = plan;
    change(changed);
    return broken_by([&] { check_laws(changed); });
  };
  CHECK(starts_with(broken([](auto& s) { s.plan.spare_nodes = -1; }), "spare nodes"));
  CHECK(starts_with(broken([](auto& s) { s.plan.rated.losses *= 1.01; }), "sum of IT, losses"));
  CHECK(starts_with(broken([](auto& s) { s.plan.mean.pue *= 1.01; }), "PUE times IT power"));
  CHECK(starts_with(broken([](auto& s) { s.plan.rated.nodes = 1.01 * s.plan.rated.it; }), "power of the nodes"));
  CHECK(
      starts_with(broken([](auto& s) { s.plan.power_stages[0].output = 1.01 * s.plan.rated.facility; }), "output of"));
  CHECK(starts_with(broken([](auto& s) {
                      std::swap(s.plan.mean, s.plan.rated);
                      s.plan.power_stages.clear();
                    }),
                    "mean IT power"));
  CHECK(starts_with(broken([](auto& s) { s.cost.capex_total *= 1.01; }), "sum of purchases"));
  CHECK(starts_with(broken([](auto& s) { s.cost.energy_share = 1.01; }), "share of energy"));
  CHECK(starts_with(broken([](auto& s) { s.cost.goodput = 1.01; }), "goodput"));
}

TEST_CASE("the cost of a training run adds up in hours, energy and money", "[laws]") {
  Scenario scenario = shipped_scenario("llama3-8b-h100-64");
  scenario.job.tokens = 1'000'000'000'000;
  const SizedCluster plan =
      size_cluster({scenario.cluster, shipped_parts(), facility_of("air"), shipped_prices("default"), &scenario});
  REQUIRE(plan.run);
  CHECK(broken_by([&] { check_laws(plan); }).empty());
  const auto broken = [&](const std::function<void(RunCost&)>& change) {
    SizedCluster changed = plan;
    change(*changed.run);
    return broken_by([&] { check_laws(changed); });
  };
  CHECK(starts_with(broken([](auto& r) { r.paid.high = 0.5 * r.paid.low; }), "paid time must lie inside"));
  CHECK(starts_with(broken([](auto& r) { r.paid = r.paid.times(0.8); }), "time of the run"));
  CHECK(starts_with(broken([](auto& r) { r.paid.value *= 1.01; }), "paid time times goodput"));
  CHECK(starts_with(broken([](auto& r) { r.accelerator_hours.value *= 1.01; }), "paid accelerator-hours"));
  CHECK(starts_with(broken([](auto& r) { r.it_energy.value *= 1.01; }), "energy of the run"));
  CHECK(starts_with(broken([](auto& r) { r.capital *= 1.01; }), "capital, operations and energy"));
  SizedCluster dear = plan;
  dear.cost.usd_per_million_tokens = 1.01 * *dear.cost.usd_per_million_tokens;
  CHECK(starts_with(broken_by([&] { check_laws(dear); }), "tokens times their price"));
}
