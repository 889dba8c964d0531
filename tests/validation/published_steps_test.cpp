// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "calibration/fit/step_fit.hpp"
#include "models/prediction/predict_step.hpp"
#include "support/catch.hpp"
#include "support/relabelled.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::filesystem::path configs = CLUSTERWRIGHT_CONFIGS;

const std::vector<Measurement>& published_steps() {
  static const std::vector<Measurement> steps = read_training_steps(CLUSTERWRIGHT_MEASUREMENTS);
  return steps;
}

const ScenarioShelf& shelf() {
  static const ScenarioShelf s = load_shelf(configs);
  return s;
}

/// Every n-th of the steps: spread over all sources, the same on every machine.
std::vector<Measurement> every(std::size_t n) {
  std::vector<Measurement> some;
  for (std::size_t i = 0; i < published_steps().size(); i += n) some.push_back(published_steps()[i]);
  return some;
}

/// log(predicted / published) of the rate by position; nothing where the job cannot be described.
std::map<std::size_t, double> log_errors(const std::vector<Measurement>& measurements) {
  std::map<std::size_t, double> errors;
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    const Measurement& m = measurements[i];
    if (!m.step || !m.scored || !m.step->tokens_per_second_per_accelerator) continue;
    const auto described = measured_scenario(m, shelf());
    if (const auto* scenario = std::get_if<Scenario>(&described))
      errors[i] = std::log(predict_step(*scenario).tokens_per_second_per_accelerator() /
                           *m.step->tokens_per_second_per_accelerator);
  }
  return errors;
}

}  // namespace

TEST_CASE("the steps of the Llama 3 report are within 12 % of what was published", "[validation]") {
  std::vector<Measurement> report;
  for (const Measurement& m : published_steps())
    if (m.step && m.scored && m.step->job.framework == "meta-internal") report.push_back(m);
  const auto errors = log_errors(report);
  REQUIRE_FALSE(errors.empty());
  for (const auto& [row, error] : errors) CHECK(std::abs(error) < std::log(1.12));
}

TEST_CASE("what a measurement is called changes nothing", "[validation]") {
  const std::vector<Measurement> some = every(23);
  const auto errors = log_errors(some);
  REQUIRE(errors.size() > 40);
  CHECK(errors == log_errors(relabelled(some)));
}

TEST_CASE("the fit does not read what measurements are called", "[validation]") {
  const std::vector<Measurement> some = every(61);
  ScenarioShelf a = shelf(), b = shelf();
  const StepFitResult plain = fit_steps(some, a), shuffled = fit_steps(relabelled(some), b);
  REQUIRE(plain.rows.size() > 15);
  CHECK(plain.regression.values == shuffled.regression.values);
  CHECK(plain.errors == shuffled.errors);
}

TEST_CASE("the committed step calibration is where its fit ends", "[validation]") {
  // One more solution, over all rows at the committed values and with shares of the step for slopes, moves no number by
  // more than 2 % and half of its error; three quarters for host times, whose share is not quite their slope where
  // work hides them.
  const StepFitResult fit = committed_steps(published_steps(), shelf());
  const StepProblem problem(fit.rows, fit.slopes, shelf().steps);
  const RegressionResult again = regress(problem.regression(fit.slopes, {}));
  const std::size_t unknowns = fit.unknowns.size();
  REQUIRE(unknowns == shelf().steps.fitted.size());
  for (std::size_t k = 0; k < unknowns; ++k) {
    INFO(fit.unknowns[k].name());
    CHECK(fit.unknowns[k].name() == shelf().steps.fitted[k]);
    const double error = std::sqrt(shelf().steps.covariance[k * unknowns + k]);
    CHECK(std::abs(again.values[k] - problem.present()[k]) <
          0.02 + (fit.unknowns[k].kind == UnknownKind::host ? 0.75 : 0.5) * error);
  }
}

TEST_CASE("a year is predicted from the years before it alone", "[validation]") {
  const StepFitResult fit = committed_steps(every(61), shelf());
  const auto is_late = [](const StepRow& row) { return row.years >= 0; };
  const auto half = [&](const StepRow& row) { return std::string(is_late(row) ? "2" : "1"); };
  const auto earlier = [](const std::string& other, const std::string& held_out) { return other < held_out; };
  StepFitResult shifted = fit;  // the late rows were measured a third slower
  for (std::size_t i = 0; i < fit.rows.size(); ++i)
    if (is_late(fit.rows[i])) shifted.slopes[i].error += 0.3;
  const auto errors = [&](const StepFitResult& from, const StepGroups& groups) {
    return hold_out_steps(from, fit.slopes, shelf().steps, groups).errors;
  };
  CHECK(errors(fit, {half, earlier}) == errors(shifted, {half, earlier}));
  CHECK(errors(fit, {half}) != errors(shifted, {half}));
  // Rows without a group are fitted to, and not held out.
  const auto late_alone = [&](const StepRow& row) { return std::string(is_late(row) ? "late" : ""); };
  const std::vector<double> both = errors(fit, {half}), late = errors(fit, {late_alone});
  for (std::size_t i = 0; i < fit.rows.size(); ++i)
    if (is_late(fit.rows[i])) CHECK(late[i] == both[i]);
}

TEST_CASE("steps of several years inform the drift", "[validation]") {
  const StepCalibration& steps = shelf().steps;
  CHECK(steps.drift.std_error < 0.02);  // its prior
  const StepFitResult some = committed_steps(every(17), shelf());
  CHECK(std::any_of(some.rows.begin(), some.rows.end(), [](const StepRow& row) { return row.years > 1; }));
  CHECK(std::any_of(some.rows.begin(), some.rows.end(), [](const StepRow& row) { return row.years < -1; }));
}

TEST_CASE("at most three numbers per stack stand behind the scored steps", "[validation]") {
  std::map<std::string, int> count;
  for (const std::string& name : shelf().steps.fitted) ++count[name.substr(name.find('/') + 1)];
  for (const auto& [name, numbers] : count) {
    INFO(name);
    CHECK(numbers <= 3);
  }
  CHECK(shelf().steps.fitted.size() < 40);
  CHECK(shelf().steps.covariance.size() == shelf().steps.fitted.size() * shelf().steps.fitted.size());
}
