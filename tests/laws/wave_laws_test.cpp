// SPDX-License-Identifier: Apache-2.0
// Power over time obeys energy, agrees with the prediction of the step, and with itself from one level to the next.
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "models/job/scenario_loader.hpp"
#include "models/site/sizing/job_site.hpp"
#include "models/site/wave/job_wave.hpp"
#include "support/catch.hpp"
#include "topology/parts/catalog.hpp"

using namespace clusterwright;

namespace {

const std::filesystem::path shipped_configs = CLUSTERWRIGHT_CONFIGS;

struct Waved {
  SitedStep sited;
  JobWave wave;
};

Waved waved(const std::string& job, std::vector<std::string> settings = {}, const WaveRequest& request = {}) {
  ScenarioOptions options;
  options.settings = std::move(settings);
  const Scenario scenario = load_scenario(shipped_configs / "scenarios" / (job + ".json"), options);
  std::vector<InputFile> inputs;
  const JobSite site(scenario, inputs);
  Waved out{site.plan(scenario), {}};
  out.wave = job_wave(out.sited.scenario, out.sited.step, out.sited.plan, out.sited.facility, site.catalog(), request);
  return out;
}

const SignalFigures& figures(const WaveVariant& variant, WaveLevel level) {
  return variant.figures[static_cast<std::size_t>(level)];
}

const std::string measures = "cluster.facility.stabilization.";

}  // namespace

TEST_CASE("the wave has the mean, crest and trough of the predicted step", "[laws][wave]") {
  for (const char* job : {"llama3-8b-h100-64", "gpt3-175b-a100", "mixtral-8x7b-h100", "llama3-405b-h100"}) {
    INFO(job);
    const Waved run = waved(job);
    const PowerUse& power = run.sited.step.power;
    const SignalFigures& hall = figures(run.wave.drawn(), WaveLevel::hall);
    CHECK(hall.mean / power.site->it_mean == Approx(1).epsilon(0.01));
    CHECK(hall.peak / power.site->it_crest == Approx(1).epsilon(0.01));
    // At one clock over the step, which `run` shows, a step that a limit slows swings by more.
    CHECK(hall.swing() / (power.nodes_crest - power.nodes_trough) == Approx(1).epsilon(0.07));
    CHECK(hall.ramp / power.nodes_ramp == Approx(1).epsilon(0.07));
    CHECK(figures(run.wave.drawn(), WaveLevel::grid).mean / power.site->facility_mean == Approx(1).epsilon(0.01));
    CHECK(run.wave.length >= 120 * second);
    CHECK(run.wave.every <= 20 * millisecond);
  }
}

TEST_CASE("nodes and racks are those of the job", "[laws][wave]") {
  for (const char* job : {"llama3-8b-h100-64", "gpt3-175b-a100", "llama3-405b-h100"}) {
    INFO(job);
    const Waved run = waved(job);
    const RankGroups groups = rank_groups(run.sited.scenario, run.sited.step.plan, 4);
    int nodes = 0, racked = 0;
    std::vector<int> ranks(groups.classes.size(), 0), in_racks = ranks;
    for (const RankGroup& node : groups.nodes) {
      nodes += node.count;
      for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] += node.count * node.ranks[i];
    }
    for (const RankGroup& rack : groups.racks) {
      racked += rack.count * rack.nodes;
      for (std::size_t i = 0; i < ranks.size(); ++i) in_racks[i] += rack.count * rack.ranks[i];
    }
    CHECK(nodes == run.sited.scenario.cluster.nodes());
    CHECK(racked == nodes);
    CHECK(ranks == groups.classes);
    CHECK(in_racks == groups.classes);
  }
}

TEST_CASE("measures lower what the grid sees, and say what they cost", "[laws][wave]") {
  const Waved run =
      waved("llama3-405b-h100",
            {measures + "smoothing.floor=0.65", measures + "filler.floor=0.6",
             measures + R"(storage=[{"part": "Rack capacitor shelf, 100 kJ"}, {"part": "GB300 supply storage"}])"});
  const auto& variants = run.wave.variants;
  REQUIRE(variants.size() == 6);  // none, four alone, all
  const WaveVariant &drawn = variants[0], &filler = variants[1], &floor = variants[2], &shelf = variants[3];
  CHECK(drawn.wave.price.added == 0);
  CHECK(drawn.wave.price.lost == 0);
  CHECK(filler.wave.price.added > 0.01);
  CHECK(floor.wave.price.added > 0.01);
  CHECK(shelf.wave.price.added == 0);
  CHECK(shelf.wave.price.lost > 0);
  for (const WaveVariant* held : {&filler, &shelf, &run.wave.held()}) {
    CHECK(figures(*held, WaveLevel::grid).swing() < figures(drawn, WaveLevel::grid).swing());
    CHECK(figures(*held, WaveLevel::grid).ramp < figures(drawn, WaveLevel::grid).ramp);
  }
  // What is burnt is drawn: the mean at the hall rises by it.
  const double burnt = figures(floor, WaveLevel::hall).mean / figures(drawn, WaveLevel::hall).mean - 1;
  const double nodes = run.sited.plan.mean.nodes / run.sited.plan.mean.it;
  CHECK(burnt == Approx(nodes * floor.wave.price.added).epsilon(0.05));
}

TEST_CASE("a stall and a lost job take the power of the whole job", "[laws][wave]") {
  WaveRequest request;
  request.stall = 5 * second;
  const Waved run = waved("llama3-8b-h100-64", {}, request), steady = waved("llama3-8b-h100-64");
  const SignalFigures& with = figures(run.wave.drawn(), WaveLevel::hall);
  CHECK(with.trough < figures(steady.wave.drawn(), WaveLevel::hall).trough);
  CHECK(with.mean < figures(steady.wave.drawn(), WaveLevel::hall).mean);
  CHECK(run.wave.drawn().lost_job >= with.peak - with.trough);  // idle is less than waiting
}

TEST_CASE("power limits of accelerators bound the wave", "[laws][wave]") {
  const Waved full = waved("llama3-8b-h100-64");
  const Waved capped = waved("llama3-8b-h100-64", {"cluster.node.accelerator_power_limit_w=420"});
  CHECK(figures(capped.wave.drawn(), WaveLevel::accelerator).mean <= 1.005 * 420 * watt);
  CHECK(figures(capped.wave.drawn(), WaveLevel::grid).swing() < figures(full.wave.drawn(), WaveLevel::grid).swing());
}

TEST_CASE("checkpoints that a job states pause the wave", "[laws][wave]") {
  const Waved run =
      waved("llama3-8b-h100-64", {R"(job.input={"bytes_per_token": 4, "checkpoint": {"every_steps": 20}})",
                                  R"(cluster.storage={"write_gb_per_s": 2})"});
  REQUIRE(run.sited.step.checkpoint);
  CHECK(run.wave.checkpoints >= 1);
  CHECK(figures(run.wave.drawn(), WaveLevel::hall).trough < run.sited.plan.mean.it);
}

TEST_CASE("two minutes of 405B on 16,384 accelerators take less than five seconds", "[laws][wave]") {
  const std::clock_t begin = std::clock();
  waved("llama3-405b-h100");
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 5);
}
