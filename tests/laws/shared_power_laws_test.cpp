// SPDX-License-Identifier: Apache-2.0
// Jobs on one power: budgets are held, and no other pair of limits does more work.
#include "models/site/sizing/shared_power.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "models/job/scenario_loader.hpp"
#include "sim/diagnostic.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

/// Two jobs of 64 H100.
class TwoJobs {
 public:
  /// @param settings  of the second one
  explicit TwoJobs(const std::vector<std::string>& settings)
      : first_(loaded({})), second_(loaded(settings)), first_site_(first_, inputs_), second_site_(second_, inputs_) {}

  SharedPower on(Watts budget, double weight = 1) const {
    const std::vector<SharingJob> jobs = {{first_, first_site_, weight}, {second_, second_site_, 1}};
    return shared_power(jobs, budget);
  }

 private:
  static Scenario loaded(std::vector<std::string> settings) {
    ScenarioOptions options;
    options.settings = std::move(settings);
    return load_scenario(std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "scenarios" / "llama3-8b-h100-64.json",
                         options);
  }

  std::vector<InputFile> inputs_;
  Scenario first_, second_;
  JobSite first_site_, second_site_;
};

Watts drawn(const DividedPower& division) {
  Watts sum;
  for (const JobShare& share : division.jobs) sum += share.drawn;
  return sum;
}

/// Most work of any two points of the curves that the budget feeds.
double best_pair(const SharedPower& shared, Watts budget) {
  double best = 0;
  for (const PowerPoint& a : shared.curves[0].points)
    for (const PowerPoint& b : shared.curves[1].points)
      if (a.drawn + b.drawn <= budget)
        best = std::max(best, shared.curves[0].weight * shared.curves[0].accelerators * a.speed +
                                  shared.curves[1].weight * shared.curves[1].accelerators * b.speed);
  return best;
}

/// Multiplies take a smaller share of its step.
const std::vector<std::string> light = {"job.sequence=1024", "job.micro_batch=1", "job.parallel.tensor=8"};

}  // namespace

TEST_CASE("jobs on one power hold it, and the division by job does most work", "[laws][power]") {
  const TwoJobs jobs(light);
  const SharedPower open = jobs.on(10'000 * kilowatt);
  REQUIRE(open.divisions.size() == 1);
  CHECK(open.divisions.front().useful == 128);
  for (const JobShare& share : open.divisions.front().jobs) CHECK_FALSE(share.limit);
  for (const double part : {0.2, 0.5, 0.8}) {
    INFO(part);
    const Watts budget = open.least + part * (open.free - open.least);
    const SharedPower shared = jobs.on(budget);
    REQUIRE(shared.divisions.size() == 3);
    for (const DividedPower& division : shared.divisions) {
      CHECK(drawn(division) <= budget);
      CHECK(drawn(division) >= 0.995 * budget);
      CHECK(division.useful <= shared.divisions.front().useful);
      for (const JobShare& share : division.jobs) {
        CHECK(share.drawn <= share.budget);
        if (share.limit) CHECK(share.held.scenario.cluster.accelerator.power_limit == share.limit);
      }
    }
    CHECK(shared.divisions.front().useful >= (1 - 2e-3) * best_pair(shared, budget));
  }
}

TEST_CASE("switching nodes off holds the power, and does no less work than limits", "[laws][power]") {
  const TwoJobs jobs(light);
  const SharedPower open = jobs.on(10'000 * kilowatt);
  CHECK_FALSE(open.fewer);
  for (const double part : {0.05, 0.5, 0.95}) {
    INFO(part);
    const Watts budget = open.least + part * (open.free - open.least);
    const SharedPower shared = jobs.on(budget);
    REQUIRE(shared.fewer);
    CHECK(drawn(*shared.fewer) <= budget);
    CHECK(shared.fewer->useful >= (1 - 2e-3) * best_pair(shared, 0.999 * budget));
    for (const JobShare& share : shared.fewer->jobs) CHECK(share.held.step.plan.global_batch == 64);
  }
  const SharedPower tight = jobs.on(1.01 * open.least);  // limits far below what clocks need
  CHECK(tight.fewer->useful > 1.1 * tight.divisions.front().useful);
  CHECK(tight.fewer->jobs[0].held.step.accelerators + tight.fewer->jobs[1].held.step.accelerators < 128);
}

TEST_CASE("a weight moves power to its job", "[laws][power]") {
  const TwoJobs jobs({});
  const SharedPower open = jobs.on(10'000 * kilowatt);
  const Watts budget = open.least + 0.5 * (open.free - open.least);
  const double even = jobs.on(budget).divisions.front().jobs[0].speed;
  CHECK(jobs.on(budget, 4).divisions.front().jobs[0].speed > even);
  CHECK(jobs.on(budget, 0.25).divisions.front().jobs[0].speed < even);
}

TEST_CASE("limits that save no power are no part of a curve", "[laws][power]") {
  const SharedPower shared = TwoJobs(light).on(10'000 * kilowatt);
  for (const PowerCurve& curve : shared.curves) {
    CHECK(curve.points.back().speed == 1);
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
      CHECK(curve.points[i].drawn >= curve.points[i - 1].drawn);
      CHECK(curve.points[i].speed >= curve.points[i - 1].speed);
      CHECK(curve.points[i - 1].drawn < curve.free());
    }
  }
}

TEST_CASE("a power that does not feed the jobs at their lowest limits is refused", "[laws][power]") {
  const TwoJobs jobs(light);
  const Watts least = jobs.on(10'000 * kilowatt).least;
  CHECK_NOTHROW(jobs.on(1.001 * least));
  try {
    jobs.on(0.999 * least);
    FAIL("not refused");
  } catch (const ConfigError& error) {
    CHECK(error.diagnostics().front().code == "E0368");
  }
}
