// SPDX-License-Identifier: Apache-2.0
// Published totals of whole training runs against the run that the program predicts without failures and restarts. The
// table in docs/models/training-run.md shows these numbers.
#include <cstdlib>

#include "calibration/measured/measured_scenario.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

TrainingRun run_of(Scenario scenario, std::int64_t tokens) {
  scenario.job.tokens = tokens;
  const StepPrediction step = predict_step(scenario);
  CHECK(step.fits);
  return *step.training;
}

TrainingRun shipped_run(const std::string& name, std::int64_t tokens) {
  ::setenv("CLUSTERWRIGHT_CONFIGS", CLUSTERWRIGHT_CONFIGS, 1);
  return run_of(load_scenario(CLUSTERWRIGHT_CONFIGS "/scenarios/" + name + ".json", {}), tokens);
}

/// The published job of BLOOM-176B at its full batch: the set has the first step of its ramp.
Scenario bloom() {
  const std::filesystem::path file = std::filesystem::path(CLUSTERWRIGHT_MEASUREMENTS) / "training-nvidia-ampere.json";
  for (const Measurement& m : read_measurements(file)) {
    if (m.id != "bloom-176b-ramp-gbs16") continue;
    Scenario scenario = std::get<Scenario>(measured_scenario(m, load_shelf(CLUSTERWRIGHT_CONFIGS)));
    scenario.job.global_batch = 2048;
    return scenario;
  }
  FAIL("the set has no BLOOM");
  return {};
}

/// Goodput that would make the published hours those that are paid.
double implied_goodput(const TrainingRun& run, double published) {
  return run.accelerator_hours.value / published;
}

}  // namespace

TEST_CASE("published accelerator-hours of whole runs lie inside the predicted interval", "[validation]") {
  // Model card of Llama 3.1: 30.84M H100-hours; 15.6T tokens: arXiv 2407.21783, which also says that more than 90 % of
  // the time was effective.
  const TrainingRun llama = shipped_run("llama3-405b-h100", 15'600'000'000'000);
  CHECK(llama.accelerator_hours.value == Approx(28.4e6).epsilon(0.01));
  CHECK(llama.accelerator_hours.high > 30.84e6);
  CHECK(implied_goodput(llama, 30.84e6) == Approx(0.918).epsilon(0.01));

  // arXiv 2412.19437, Table 1: 2,664,000 H800-hours for 14.8T tokens.
  const TrainingRun deepseek = shipped_run("deepseek-v3-h800", 14'800'000'000'000);
  CHECK(deepseek.accelerator_hours.value == Approx(2.97e6).epsilon(0.01));
  CHECK(deepseek.accelerator_hours.low < 2.664e6);
  CHECK(implied_goodput(deepseek, 2.664e6) == Approx(1.122).epsilon(0.01));

  // arXiv 2211.02001, Table 1: 1,082,990 A100-hours; 366B tokens.
  const TrainingRun bloom_run = run_of(bloom(), 366'000'000'000);
  CHECK(bloom_run.accelerator_hours.value == Approx(989e3).epsilon(0.01));
  CHECK(bloom_run.accelerator_hours.high > 1'082'990);
  CHECK(implied_goodput(bloom_run, 1'082'990) == Approx(0.913).epsilon(0.01));
  // Its nodes, with hosts: the paper's 433 MWh are hours times the 400 W of a board.
  CHECK(bloom_run.nodes_energy.value.in(kilowatt_hour) == Approx(347e3).epsilon(0.01));
}
