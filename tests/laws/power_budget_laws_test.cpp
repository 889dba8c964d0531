// SPDX-License-Identifier: Apache-2.0
// Budgets of racks, rows, halls and grids are held, and cost what a limit costs; a hot node splits only what it
// touches.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "models/job/scenario_loader.hpp"
#include "models/lowering/lowered_step.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/settling/step_simulation.hpp"
#include "models/site/sizing/job_site.hpp"
#include "sim/diagnostic.hpp"
#include "sim/step_graph.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

const std::filesystem::path shipped_scenarios = std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "scenarios";

Scenario job_of_64(std::vector<std::string> settings = {}) {
  ScenarioOptions options;
  options.settings = std::move(settings);
  return load_scenario(shipped_scenarios / "llama3-8b-h100-64.json", options);
}

/// @param budgets  settings of the facility, without "cluster.facility."
SitedStep budgeted(const std::vector<std::string>& budgets, const std::string& capping = "equal") {
  std::vector<std::string> settings = {"cluster.facility.power.capping=" + capping};
  for (const std::string& budget : budgets) settings.push_back("cluster.facility." + budget);
  const Scenario scenario = job_of_64(settings);
  std::vector<InputFile> inputs;
  return JobSite(scenario, inputs).plan(scenario);
}

}  // namespace

TEST_CASE("budgets of every domain are held, and hardly anything of them is left", "[laws][power]") {
  const SitedStep free = budgeted({"rack.nodes=4"}, "none");
  const double hall = free.plan.mean.it.in(kilowatt), grid = free.plan.hot_mean->facility.in(kilowatt);
  const double racks = 0.8 * free.step.power.nodes_mean.in(kilowatt) / 2;
  for (const auto& [domain, setting] : std::vector<std::pair<std::string, std::string>>{
           {"rack", "rack.power_limit_kw=" + std::to_string(racks)},
           {"row", "hall.row_power_limit_kw=" + std::to_string(2 * racks)},
           {"hall", "hall.power_limit_kw=" + std::to_string(0.85 * hall)},
           {"grid", "power.grid_limit_kw=" + std::to_string(0.85 * grid)}}) {
    INFO(setting);
    const SitedStep held = budgeted({"rack.nodes=4", setting});
    REQUIRE(held.step.power.budget);
    const PowerBudget& budget = *held.step.power.budget;
    CHECK(budget.domain == domain);
    CHECK(budget.drawn <= budget.budget);
    CHECK(budget.drawn >= 0.995 * budget.budget);
    REQUIRE(budget.limit);
    CHECK(held.scenario.cluster.accelerator.power_limit == budget.limit);
    CHECK(held.step.step_time > free.step.step_time);
    CHECK(held.step.power.nodes_mean < free.step.power.nodes_mean);
    CHECK(held.plan.floor.nodes_per_rack == 4);
  }
}

TEST_CASE("racks that state no nodes keep those that they have without a limit, and hold their budget",
          "[laws][power]") {
  const SitedStep free = budgeted({}, "none"), held = budgeted({"rack.power_limit_kw=22"});
  CHECK(held.plan.floor.nodes_per_rack == free.plan.floor.nodes_per_rack);
  REQUIRE(held.step.power.budget);
  CHECK(held.step.power.budget->drawn <= 22 * kilowatt);
  CHECK(held.plan.floor.nodes_per_rack * held.plan.node.mean <= 22 * kilowatt);
}

TEST_CASE("a tighter budget never speeds a step up", "[laws][power]") {
  Seconds before;
  for (const double kilowatts : {40.0, 26.0, 24.0, 22.0, 20.0}) {
    INFO(kilowatts);
    const SitedStep held = budgeted({"rack.nodes=4", "rack.power_limit_kw=" + std::to_string(kilowatts)});
    CHECK(held.step.step_time >= (1 - 1e-3) * before);
    before = held.step.step_time;
  }
}

TEST_CASE("a budget that does not bind changes nothing and says so", "[laws][power]") {
  const SitedStep free = budgeted({"rack.nodes=4"}, "none"),
                  wide = budgeted({"rack.nodes=4", "rack.power_limit_kw=60", "hall.power_limit_kw=5000"});
  CHECK(wide.step.step_time == free.step.step_time);
  REQUIRE(wide.step.power.budget);
  CHECK_FALSE(wide.step.power.budget->limit);
  CHECK(wide.step.warnings.back().find("changes nothing") != std::string::npos);
}

TEST_CASE("a budget that does not feed nodes at their lowest limit is refused", "[laws][power]") {
  try {
    budgeted({"rack.nodes=4", "rack.power_limit_kw=10"});
    FAIL("not refused");
  } catch (const ConfigError& error) {
    CHECK(error.diagnostics().front().code == "E0368");
    CHECK(error.diagnostics().front().message.find("does not feed its nodes") != std::string::npos);
  }
}

TEST_CASE("a budget does not limit a part whose clock is not known", "[laws][power]") {
  const auto on_wafers = [](const std::string& budget) {
    ScenarioOptions options;
    options.settings = {"cluster.facility.power.capping=equal", "cluster.facility.power.grid_limit_kw=" + budget};
    const Scenario scenario = load_scenario(shipped_scenarios / "llama3-8b-cs3.json", options);
    std::vector<InputFile> inputs;
    return JobSite(scenario, inputs).predict(scenario);
  };
  CHECK(on_wafers("400").power.budget);
  try {
    on_wafers("40");
    FAIL("not refused");
  } catch (const ConfigError& error) {
    CHECK(error.diagnostics().front().code == "E0368");
    CHECK(error.diagnostics().front().message.ends_with("as its clock is not known"));
  }
}

TEST_CASE("limits of single accelerators split only the ranks that they touch", "[laws][power]") {
  std::string hot = "cluster.slow=[";
  for (int i = 0; i < 8; ++i)
    hot += (i ? ", " : "") + std::string("{\"accelerator\": ") + std::to_string(i) + ", \"power_limit_w\": 400}";
  const Scenario limited = job_of_64({hot + "]"}), healthy = job_of_64(),
                 all = job_of_64({"cluster.node.accelerator_power_limit_w=400"});
  const StepPrediction step = predict_step(limited);
  const LoweredStep with(limited, step.plan, Folding::folded), without(healthy, step.plan, Folding::folded);
  CHECK(with.structure().ranks.size() <= 2 * without.structure().ranks.size());
  int touched = 0, ranks = 0;
  for (const RankClassId rank : with.structure().ranks.ids()) {
    const int count = static_cast<int>(with.structure().ranks[rank].multiplicity);
    ranks += count;
    if (with.timing().power_limit[rank] < without.timing().power_limit[RankClassId(0)]) touched += count;
  }
  CHECK(touched == 8);
  CHECK(ranks == 64);
  const Seconds usual = predict_step(healthy).step_time, slowest = predict_step(all).step_time;
  CHECK(step.step_time > usual);
  CHECK(step.step_time <= (1 + 1e-3) * slowest);
  REQUIRE(step.stragglers);
  CHECK(step.stragglers->accelerators.size() == 8);
  CHECK(step.power.nodes_mean < predict_step(healthy).power.nodes_mean);
  const auto folded = simulate_step(limited, step.plan),
             unfolded = simulate_step(limited, step.plan, Folding::unfolded);
  CHECK(to_seconds(folded.result.end) / to_seconds(unfolded.result.end) == Approx(1).epsilon(2e-3));
}

TEST_CASE("a limit of one accelerator above that of all changes nothing", "[laws][power]") {
  const StepPrediction with = predict_step(job_of_64({R"(cluster.slow=[{"accelerator": 3, "power_limit_w": 700}])"}));
  CHECK(with.step_time == predict_step(job_of_64()).step_time);
  CHECK_FALSE(with.stragglers);
}

namespace {

/// Llama 3 70B over 8 stages, of which the last one holds the head.
SitedStep on_eight_stages(std::vector<std::string> settings) {
  for (const char* setting : {"job.parallel.pipeline=8", "job.parallel.virtual_pipeline=1", "job.parallel.tensor=8"})
    settings.push_back(setting);
  ScenarioOptions options;
  options.settings = std::move(settings);
  const Scenario scenario = load_scenario(shipped_scenarios / "llama3-70b-h100.json", options);
  std::vector<InputFile> inputs;
  return JobSite(scenario, inputs).plan(scenario);
}

std::vector<std::string> hall_of(double kilowatts, const std::string& capping) {
  return {"cluster.facility.power.capping=" + capping,
          "cluster.facility.hall.power_limit_kw=" + std::to_string(kilowatts)};
}

}  // namespace

TEST_CASE("limits by stage hold the budget, and give power to the stage that others wait for", "[laws][power]") {
  for (const double kilowatts : {1000.0, 950.0, 850.0}) {
    INFO(kilowatts);
    const SitedStep equal = on_eight_stages(hall_of(kilowatts, "equal"));
    const SitedStep shared = on_eight_stages(hall_of(kilowatts, "by_stage"));
    const PowerBudget& budget = *shared.step.power.budget;
    CHECK(budget.drawn <= budget.budget);
    CHECK(budget.drawn >= 0.999 * budget.budget);
    CHECK(shared.step.step_time < 0.97 * equal.step.step_time);
    REQUIRE(budget.stage_limits.size() == 8);
    for (std::size_t stage = 0; stage + 1 < 8; ++stage) CHECK(budget.stage_limits[stage] < budget.stage_limits[7]);
    CHECK(budget.stage_limits[7] == budget.limit.value_or(700 * watt));  // its rating at most
    CHECK(budget.stage_limits[0] < equal.step.power.budget->limit);
  }
}

// Below the voltage floor a slower clock costs energy instead of saving it.
TEST_CASE("under deep caps stages that wait run faster than they must", "[laws][power]") {
  const SitedStep equal = on_eight_stages(hall_of(700, "equal"));
  const SitedStep shared = on_eight_stages(hall_of(700, "by_stage"));
  const PowerBudget& budget = *shared.step.power.budget;
  CHECK(budget.drawn <= budget.budget);
  CHECK(shared.step.step_time < 0.99 * equal.step.step_time);
  REQUIRE(budget.stage_limits.size() == 8);
  for (std::size_t stage = 0; stage + 1 < 8; ++stage) CHECK(budget.stage_limits[stage] > 1.3 * budget.stage_limits[7]);
}

TEST_CASE("limits by stage that are stated give the step that capping found", "[laws][power]") {
  const SitedStep shared = on_eight_stages(hall_of(900, "by_stage"));
  std::string limits = "job.parallel.stage_power_limits_w=[";
  for (const Watts limit : shared.step.power.budget->stage_limits)
    limits += (limits.ends_with('[') ? "" : ",") + std::to_string(limit.in(watt));
  const SitedStep stated = on_eight_stages({limits + "]"});
  CHECK(stated.step.step_time / shared.step.step_time == Approx(1).epsilon(1e-4));
  CHECK(stated.step.power.nodes_mean / shared.step.power.nodes_mean == Approx(1).epsilon(1e-3));
}

TEST_CASE("a job of one stage has nothing to share", "[laws][power]") {
  const double hall = 0.85 * budgeted({}, "none").plan.mean.it.in(kilowatt);
  const std::string budget = "hall.power_limit_kw=" + std::to_string(hall);
  const SitedStep equal = budgeted({budget}), shared = budgeted({budget}, "by_stage");
  CHECK(shared.step.step_time == equal.step.step_time);
  CHECK(shared.step.power.budget->stage_limits.empty());
}

TEST_CASE("a limit of one accelerator counts against the rating of its own kind", "[laws][power]") {
  const auto mixed = [](double watts) {
    ScenarioOptions options;
    options.settings = {"cluster.slow=[{\"accelerator\":100,\"power_limit_w\":" + std::to_string(watts) + "}]"};
    return load_scenario(shipped_scenarios / "llama3-70b-mixed.json", options);
  };
  for (const double watts : {300.0, 450.0}) {  // the A100 are rated at 400 W, the H100 at 700 W
    const Scenario scenario = mixed(watts);
    CHECK(scenario.cluster.part_of(AcceleratorId(100)).id == "A100-80-SXM");
    CHECK(is_limited(scenario.cluster.spec.slow.front(), scenario.cluster) == (watts < 400));
  }
}

TEST_CASE("capping that no hall can hold is said to limit nothing", "[laws][power]") {
  ScenarioOptions options;
  options.settings = hall_of(90, "equal");
  const Scenario scenario = load_scenario(shipped_scenarios / "llama3-70b-mixed.json", options);
  std::vector<InputFile> inputs;
  const StepPrediction step = JobSite(scenario, inputs).predict(scenario);
  CHECK_FALSE(step.power.budget);
  CHECK(step.warnings.back().starts_with("facility.power.capping limits nothing here"));
}

TEST_CASE("limits by stage that cannot be are refused", "[laws][power]") {
  for (const char* limits : {"[500,500]", "[500,500,500,500,500,500,500,20]"}) {
    INFO(limits);
    CHECK_THROWS_AS(on_eight_stages({std::string("job.parallel.stage_power_limits_w=") + limits}), ConfigError);
  }
}

TEST_CASE(
    "limits that a job states for its stages stay under capping, and those above the rating are said to do nothing",
    "[laws][power]") {
  std::vector<std::string> settings = hall_of(900, "by_stage");
  settings.push_back("job.parallel.stage_power_limits_w=[450,700,700,700,700,700,700,700]");
  const SitedStep held = on_eight_stages(settings);
  CHECK(held.scenario.job.parallel.stage_power_limits.front() <= 450 * watt);
  const SitedStep free = on_eight_stages({"job.parallel.stage_power_limits_w=[700,700,700,700,700,700,700,700]"});
  CHECK(std::ranges::any_of(free.step.warnings, [](const std::string& text) {
    return text.starts_with("job.parallel.stage_power_limits_w changes nothing");
  }));
}
