// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/look_around.hpp"

#include <optional>
#include <string>
#include <vector>

#include "models/job/configs_directory.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/site/sizing/job_site.hpp"
#include "support/catch.hpp"

namespace clusterwright {

namespace {

Scenario shipped(const char* file, std::vector<std::string> settings) {
  ScenarioOptions options;
  options.settings = std::move(settings);
  return load_scenario(configs_directory() / "scenarios" / file, options);
}

StepPrediction predicted(const Scenario& scenario) {
  std::vector<InputFile> inputs;
  return JobSite(scenario, inputs).predict(scenario);
}

/// Step with what was found around it; nothing where nobody could look.
std::optional<StepPrediction> looked_around(const Scenario& scenario) {
  std::vector<InputFile> inputs;
  const JobSite site(scenario, inputs);
  StepPrediction step = site.predict(scenario);
  return look_around(site, scenario, step) ? std::optional(std::move(step)) : std::nullopt;
}

}  // namespace

TEST_CASE("the settings that advice names give the step that it names", "[models][search]") {
  for (const char* file : {"mixtral-8x7b-h100.json", "llama3-70b-mi300x.json"}) {
    INFO(file);
    const auto step = looked_around(shipped(file, {}));
    REQUIRE((step && step->layout_advice));
    REQUIRE_FALSE(step->layout_advice->settings.empty());
    const StepPrediction changed = predicted(shipped(file, step->layout_advice->settings));
    CHECK(changed.fits);
    CHECK(changed.step_time == step->layout_advice->step_time);
    CHECK(changed.step_time < 0.99 * step->step_time);
    CHECK(step->layout_advice->probability_faster > 0.5);
    for (const std::string& setting : step->layout_advice->settings)
      CHECK(step->bottleneck.find(setting) != std::string::npos);
  }
}

TEST_CASE("advice stays within what the stack runs", "[models][search]") {
  for (const char* file : {"llama3-70b-mi300x.json", "gpt3-175b-a100.json"}) {
    INFO(file);
    const Scenario scenario = shipped(file, {});
    const auto step = looked_around(scenario);
    REQUIRE((step && step->layout_advice));
    const Scenario changed = shipped(file, step->layout_advice->settings);
    CHECK(changed.job.parallel.schedule == PipelineSchedule::one_forward_one_backward);  // all that either lists
    if (!scenario.stack.layouts->context) CHECK(changed.job.parallel.context.value_or(1) == 1);
  }
}

TEST_CASE("nothing near the layout that advice named saves a percent more than was named", "[models][search]") {
  std::vector<std::string> settings;
  for (int turn = 0; turn < 4; ++turn) {
    const auto step = looked_around(shipped("llama3-8b-single-node.json", settings));
    REQUIRE((step && step->layout_advice));
    if (step->layout_advice->settings.empty()) {
      CHECK(step->bottleneck.find("layouts near this one saves 1 %") != std::string::npos);
      CHECK(turn > 0);
      return;
    }
    settings.insert(settings.end(), step->layout_advice->settings.begin(), step->layout_advice->settings.end());
  }
  FAIL("advice does not come to an end");
}

TEST_CASE("a job that does not fit, or states layers of single stages, gets no advice on layouts", "[models][search]") {
  CHECK_FALSE(looked_around(shipped("llama3-405b-h100.json", {"job.parallel.pipeline=2"})));
  const auto stages = shipped("llama3-70b-h100.json", {"job.parallel.pipeline=8", "job.parallel.virtual_pipeline=1",
                                                       "job.parallel.stage_layers=[10,10,10,10,10,10,10,10]"});
  CHECK_FALSE(looked_around(stages));
}

}  // namespace clusterwright
