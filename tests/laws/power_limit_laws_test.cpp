// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "models/job/scenario_loader.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "support/catch.hpp"
#include "topology/nodes/power_limit.hpp"

using namespace clusterwright;

namespace {

const std::filesystem::path configs = CLUSTERWRIGHT_CONFIGS;
const std::vector<std::string> jobs = {"llama3-8b-h100-64", "mixtral-8x7b-h100", "llama3-70b-mi300x", "gpt3-175b-a100"};

StepPrediction predicted(const std::string& job, const std::vector<std::string>& settings = {}) {
  ScenarioOptions options;
  options.settings = settings;
  return predict_step(load_scenario(configs / "scenarios" / (job + ".json"), options));
}

Scenario scenario_of(const std::string& job) {
  return load_scenario(configs / "scenarios" / (job + ".json"), {});
}

/// Mean power of one accelerator over the step.
Watts of_accelerator(const StepPrediction& step, const Cluster& cluster) {
  return (step.power.nodes_mean - cluster.nodes() * step.power.node_host) / cluster.spec.accelerators;
}

}  // namespace

TEST_CASE("a tighter power limit never speeds a step up, and no accelerator draws more than it", "[laws][power]") {
  for (const std::string& job : jobs) {
    INFO(job);
    const Cluster cluster = scenario_of(job).cluster;
    const Watts rating = cluster.accelerator.power.value;
    StepPrediction before = predicted(job);
    for (const int percent : {90, 80, 70, 60, 50}) {
      INFO(percent);
      const StepPrediction step = predicted(job, {cap_setting(std::to_string(percent) + "%")});
      CHECK(step.step_time >= (1 - 1e-3) * before.step_time);
      CHECK(step.power.nodes_mean <= (1 + 2e-3) * before.power.nodes_mean);
      // Waits lie outside the mean that a governor holds, so the mean over the step is lower still.
      CHECK(of_accelerator(step, cluster) <= 1.005 * percent / 100 * rating);
      before = step;
    }
  }
}

TEST_CASE("half of the watts cost a dense step at least a tenth and at most as much as they save", "[laws][power]") {
  const StepPrediction full = predicted("llama3-8b-h100-64"),
                       half = predicted("llama3-8b-h100-64", {cap_setting("50%")});
  CHECK(half.step_time > 1.1 * full.step_time);
  CHECK(half.step_time < 2 * full.step_time);
  CHECK(half.breakdown[static_cast<std::size_t>(StepCharge::throttle)] >
        full.breakdown[static_cast<std::size_t>(StepCharge::throttle)]);
}

TEST_CASE("the error of a limited step grows gradually where the clock meets the voltage floor", "[laws][power]") {
  const auto error = [](const StepPrediction& step, const char* number) {
    const auto found = step.uncertainty.parameters.find(number);
    return found == step.uncertainty.parameters.end() ? 0 : std::abs(found->second);
  };
  StepPrediction before = predicted("llama3-70b-h100", {cap_setting("74%")});
  for (int percent = 72; percent >= 54; percent -= 2) {
    INFO(percent);
    const StepPrediction step = predicted("llama3-70b-h100", {cap_setting(std::to_string(percent) + "%")});
    for (const char* number : {"power/voltage_floor", "power/tensor_weight"}) {
      INFO(number);
      CHECK(error(step, number) - error(before, number) <= 0.02);
    }
    before = step;
  }
  CHECK(error(before, "power/voltage_floor") > 0.05);
}

TEST_CASE("a limit at the rating changes nothing, and three ways to write one agree", "[laws][power]") {
  const std::string job = "llama3-8b-h100-64";
  CHECK(predicted(job, {cap_setting("100%")}).step_time == predicted(job).step_time);
  CHECK(predicted(job, {cap_setting("700W")}).step_time == predicted(job).step_time);
  const Seconds capped = predicted(job, {cap_setting("80%")}).step_time;
  CHECK(capped > predicted(job).step_time);
  CHECK(predicted(job, {cap_setting("560W")}).step_time == capped);
  const Watts node = scenario_of(job).cluster.spec.node.host_power.value + 8 * 560 * watt;
  CHECK(predicted(job, {fmt::format("cluster.node.power_limit_w={}", node.in(watt))}).step_time.in(second) ==
        Approx(capped.in(second)).epsilon(1e-9));
}

TEST_CASE("memory-bound kernels lose nothing to a power limit", "[laws][power]") {
  const auto other = [](const StepPrediction& step) {
    return step.breakdown[static_cast<std::size_t>(StepCharge::compute_other)].in(second);
  };
  const StepPrediction full = predicted("llama3-8b-h100-64"),
                       half = predicted("llama3-8b-h100-64", {cap_setting("50%")});
  CHECK(other(half) == Approx(other(full)).epsilon(1e-3));
}

TEST_CASE("a limit that memory-bound kernels exceed is said, and no power is made up", "[laws][power]") {
  const auto said = [](const StepPrediction& step) {
    return std::ranges::any_of(
        step.warnings, [](const std::string& text) { return text.find("cannot be held") != std::string::npos; });
  };
  const std::string streaming = "llama3-70b-finetune-nvme", computing = "llama3-8b-h100-64";
  const StepPrediction beyond = predicted(streaming, {cap_setting("200W")}),
                       held = predicted(computing, {cap_setting("350W")});
  CHECK(said(beyond));
  CHECK(of_accelerator(beyond, scenario_of(streaming).cluster) > 205 * watt);
  CHECK_FALSE(said(held));
  CHECK(of_accelerator(held, scenario_of(computing).cluster) <= 351 * watt);
}

TEST_CASE("a limit of one kind of nodes acts on that kind and is named with it", "[laws][power]") {
  const StepPrediction step = predicted("llama3-70b-mixed", {"cluster.also.0.node.accelerator_power_limit_w=250"});
  REQUIRE(step.power.limits.size() == 1);
  CHECK(step.power.limits[0].accelerator == "A100-80-SXM");
  CHECK(step.power.limits[0].limit == 250 * watt);
  CHECK(step.step_time > predicted("llama3-70b-mixed").step_time);
}
