// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/closed_form.hpp"

#include <algorithm>
#include <cmath>

#include "calibration/fit/step_fit.hpp"
#include "calibration/validation/closed_form_fit.hpp"
#include "calibration/validation/closed_form_layer.hpp"
#include "calibration/validation/held_out_constants.hpp"
#include "support/catch.hpp"
#include "support/relabelled.hpp"
#include "support/shipped_folders.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

constexpr ClosedFormFactors only_compute{1, 0, 0, 0};

double seconds_of(const SmallCase& c, const ClosedFormFactors& factors = only_compute) {
  const Scenario scenario = small_scenario(c);
  return closed_form_step(scenario, plan_of(scenario), factors) / (1 * second);
}

/// Two wide stages and almost no head.
SmallCase two_stages(int micro_batches, int virtual_pipeline = 1) {
  SmallCase c;
  c.tensor = 4;
  c.pipeline = 2;
  c.virtual_pipeline = virtual_pipeline;
  c.micro_batches = micro_batches;
  c.hidden = 8192;
  c.sequence = 4096;
  c.vocabulary = 4;
  return c;
}

StepRow row_of(const SmallCase& c, const std::string& entry) {
  StepRow row;
  row.scenario = small_scenario(c);
  row.plan = plan_of(row.scenario);
  row.entry = entry;
  row.years = 0.5;
  return row;
}

/// Rate that the closed form predicts under these numbers.
double rate_under(const std::vector<ClosedFormUnknown>& unknowns, const StepRow& row) {
  const double time = closed_form_step(row.scenario, row.plan, closed_form_factors(unknowns, row)) / (1 * second);
  return static_cast<double>(row.plan.global_batch) * row.scenario.job.sequence / row.plan.accelerators() / time;
}

/// Steps of two stacks on two generations, of several widths and tensor degrees.
std::vector<StepRow> made_up_rows(const std::vector<ClosedFormUnknown>& planted) {
  std::vector<StepRow> rows;
  for (const char* entry : {"a", "b"})
    for (const bool hopper : {false, true})
      for (const int tensor : {1, 8})
        for (const int hidden : {2048, 4096, 8192}) {
          SmallCase c;
          c.hopper = hopper;
          c.tensor = tensor;
          c.data = 16 / tensor;
          c.hidden = hidden;
          c.sequence = 2048;
          rows.push_back(row_of(c, entry));
          rows.back().tokens_per_second_per_accelerator = rate_under(planted, rows.back());
        }
  return rows;
}

double number(const ClosedFormFit& fit, const std::string& name) {
  for (const ClosedFormUnknown& one : fit.unknowns)
    if (one.name() == name) return one.value;
  FAIL(name);
  return 0;
}

std::string width_of(const StepRow& row) {
  return std::to_string(row.scenario.transformer.hidden);
}

}  // namespace

TEST_CASE("a GEMM costs its FLOPs, its depth, its traffic and its start", "[calibration][closed_form]") {
  const ClosedFormRates rates{1e12, 100, 0, 1e9, 1e12};
  // 2 x 1000 x 1000 x 400 = 0.8 GFLOP, x (1 + 100 / 400) at 1 TFLOP/s = 1.0 ms; 2 x (0.4 + 0.4 + 1) MB at 1 GB/s =
  // 3.6 ms; (1 + 3.6^4)^(1/4) = 3.6053 ms; + 1 us
  CHECK(closed_form_gemm(rates, 1000, 1000, 400) == Approx(3.6063e-3).epsilon(1e-4));
  CHECK(closed_form_gemm(rates, 0, 1000, 400) == 0);
}

TEST_CASE("a layer without attention, traffic and host is its six matrices", "[calibration][closed_form]") {
  SmallCase c;
  c.hidden = 1000;
  c.heads = 10;
  c.sequence = 1000;
  c.gated_mlp = false;
  c.data = 8;
  const Scenario scenario = small_scenario(c);
  const ClosedFormRates rates{1e12, 0, 0, 1e30, 1e30};
  const ClosedFormPasses layer = closed_form_layer(scenario, plan_of(scenario), rates, only_compute, LayerKind::dense);
  // 3 h^2 + h^2 + 4 h^2 + 4 h^2 = 12 M weights x 2 x 1000 tokens at 1 TFLOP/s = 24 ms, 4 starts; twice backward
  CHECK(layer.forward == Approx(24.004e-3));
  CHECK(layer.backward == Approx(48.008e-3));
}

TEST_CASE("the bubble is the other stages once, over the virtual stages", "[calibration][closed_form]") {
  const double eight = seconds_of(two_stages(8)), sixteen = seconds_of(two_stages(16));
  const double stage = (sixteen - eight) / 8;
  // 8 micro-batches and one of bubble, then the optimizer: 40 bytes of each of 2 layers x 1.07 G / 4 parameters at
  // 86 % of 3.35 TB/s
  const double parameters = 2 * layer_parameters(small_scenario(two_stages(8)).transformer) / 4;
  CHECK(eight == Approx(9 * stage + 40 * parameters / (0.86 * 3.35e12)).epsilon(1e-3));
  CHECK(eight - seconds_of(two_stages(8, 2)) == Approx(stage / 2).epsilon(0.01));
}

TEST_CASE("tensor exchanges and slow hosts add to a step", "[calibration][closed_form]") {
  SmallCase c;
  c.tensor = 8;
  CHECK(seconds_of(c, {1, 1, 0, 0}) > seconds_of(c));
  CHECK(seconds_of(c, {1, 0, 1, 0}) > seconds_of(c));
  CHECK(seconds_of(c, {2, 0, 0, 0}) == Approx(2 * seconds_of(c)));
}

TEST_CASE("the fit recovers planted factors of the closed form", "[calibration][closed_form]") {
  const std::vector<ClosedFormUnknown> planted = {
      {ClosedFormKind::hopper, "", 0.05},         {ClosedFormKind::drift, "", 0.03},
      {ClosedFormKind::compute, "a", 0.00},       {ClosedFormKind::compute, "b", 0.20},
      {ClosedFormKind::communication, "a", -0.2}, {ClosedFormKind::communication, "b", 0.3}};
  const ClosedFormFit fit = fit_closed_form(made_up_rows(planted));
  CHECK(number(fit, "compute/b") - number(fit, "compute/a") == Approx(0.20).margin(0.02));
  CHECK(number(fit, "communication/a") == Approx(-0.2).margin(0.05));
  CHECK(number(fit, "communication/b") == Approx(0.3).margin(0.05));
  for (const double error : fit.errors) CHECK(std::abs(error) < 0.01);
}

TEST_CASE("rows that are held out do not move their own prediction", "[calibration][closed_form]") {
  const std::vector<StepRow> rows = made_up_rows({});
  ClosedFormFit fit = fit_closed_form(rows);
  const std::vector<double> before = held_out_closed_form(fit, rows, width_of);
  // Rows of one width are measured slower by e^0.5: the others predict them as before.
  const auto slowed = [](const StepRow& row) { return width_of(row) == "4096"; };
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (slowed(rows[i])) fit.problem.offsets[i] += 0.5;
  const std::vector<double> after = held_out_closed_form(fit, rows, width_of);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (slowed(rows[i])) CHECK(after[i] - before[i] == Approx(0.5).margin(1e-9));
}

TEST_CASE("a held-out stack takes the mean of the others", "[calibration][closed_form]") {
  const std::vector<StepRow> rows = made_up_rows({{ClosedFormKind::compute, "b", 0.1}});
  const ClosedFormFit fit = fit_closed_form(rows);
  const std::vector<double> errors = held_out_closed_form(fit, rows, [](const StepRow& row) { return row.entry; });
  // b takes the factor of a: steps that are all compute come out a tenth too fast
  double largest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].entry == "b") largest = std::max(largest, errors[i]);
  CHECK(largest == Approx(0.1).margin(0.02));
}

TEST_CASE("names, sources and what was measured change no row of the closed form", "[calibration][closed_form]") {
  const ScenarioShelf shelf = load_shelf(configs);
  std::vector<Measurement> some;
  for (const char* name : {"training-nvidia-hopper.json", "training-nvidia-blackwell.json"})
    for (const Measurement& one : read_measurements(measurements / name))
      if (one.scored && one.step && some.size() < 60) some.push_back(one);
  std::vector<Measurement> others = relabelled(some);
  for (Measurement& one : others)
    if (one.step->tokens_per_second_per_accelerator) *one.step->tokens_per_second_per_accelerator *= 2;
  const std::vector<StepRow> rows = closed_form_rows(some, shelf), same = closed_form_rows(others, shelf);
  REQUIRE(rows.size() == same.size());
  REQUIRE(rows.size() > 40);
  for (std::size_t i = 0; i < rows.size(); ++i)
    CHECK(closed_form_step(rows[i].scenario, rows[i].plan, {}) == closed_form_step(same[i].scenario, same[i].plan, {}));
}

TEST_CASE("a constant without rows of its own takes the share of the peak of others", "[calibration][closed_form]") {
  SmallCase ampere, hopper;
  ampere.hopper = false;
  const std::vector<StepRow> steps = {row_of(hopper, "a"), row_of(ampere, "a")};
  std::vector<StepRow> rows = steps;
  rows[1].measurement = 1;
  CaseResult result;
  result.precision = "bf16";
  result.step = StepDetail{};
  result.step->model_flops_per_token = 1e9;
  std::vector<CaseResult> results = {result, result};
  results[0].accelerator = "H100-SXM";
  results[1].accelerator = "A100-80-SXM";
  results[0].measured = {989e12 * 0.4 / 1e9};  // 40 % of the peak
  results[1].measured = {312e12 * 0.5 / 1e9};  // 50 %
  const std::vector<double> errors =
      held_out_constants(rows, results, [](const StepRow& row) { return row.scenario.cluster.accelerator.id; });
  CHECK(errors[0] == Approx(std::log(0.5 / 0.4)).margin(2e-3));
  CHECK(errors[1] == Approx(std::log(0.4 / 0.5)).margin(2e-3));
}
