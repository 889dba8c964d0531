// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>
#include <vector>

#include "calibration/validation/changed_field.hpp"
#include "calibration/validation/constant_baseline.hpp"
#include "calibration/validation/held_out.hpp"
#include "calibration/validation/scaling_shape.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

CaseResult step(const std::string& family, double predicted, double measured, double flops_per_token = 1e9) {
  CaseResult out;
  out.family = family;
  out.kind = "training_step";
  out.accelerator = "H100-SXM";
  out.precision = "bf16";
  out.is_list = false;
  out.known = true;
  out.predicted = {predicted};
  out.low = {predicted / 1.2};
  out.high = {predicted * 1.2};
  out.measured = {measured};
  out.step = StepDetail{};
  out.step->model_flops_per_token = flops_per_token;
  return out;
}

/// One job on nodes of 8.
Measurement job(int accelerators, int batch) {
  Measurement out;
  out.kind = "training_step";
  out.hardware.accelerator = "H100-SXM";
  out.hardware.accelerators = accelerators;
  out.hardware.accelerators_per_node = 8;
  out.step = MeasuredStep{};
  out.step->model.layers = 32;
  out.step->job.global_batch = batch;
  return out;
}

}  // namespace

TEST_CASE("the mean of groups does not know how large they are", "[calibration][validation]") {
  ErrorFigures large, small, none;
  large.n = 700;
  large.coverage = small.coverage = 1;
  large.median_abs_log = 0.02;
  small.n = 1;
  small.median_abs_log = 0.10;
  none.n = 50;
  none.median_abs_log = 9;  // nothing predicted: no say
  const ErrorFigures mean = mean_of_groups("mean", {large, small, none});
  CHECK(mean.n == 2);
  CHECK(mean.median_abs_log == Approx(0.06));
}

TEST_CASE("a constant is the median rate, in which families weigh the same", "[calibration][validation]") {
  // a: three steps at 100 tokens/s of 1 GFLOP; b: one at 40 of 10 GFLOP. Rates 100, 100, 100 (1/3 each) and 400: the
  // median is 100 GFLOP/s, so a is met exactly and b, at 10 tokens/s, is off by log 4.
  const std::vector<CaseResult> results = {step("a", 110, 100), step("a", 110, 100), step("a", 110, 100),
                                           step("b", 44, 40, 1e10)};
  const ConstantBaseline baseline = constant_baseline(results);
  CHECK(baseline.constants == 1);
  REQUIRE(baseline.families.size() == 2);
  CHECK(baseline.families[0].constant.median_abs_log == Approx(0).margin(1e-12));
  CHECK(baseline.families[1].constant.median_abs_log == Approx(std::log(4)));
  CHECK(baseline.constant.median_abs_log == Approx(std::log(4) / 2));
  CHECK(baseline.ratio == Approx(std::log(1.1) / (std::log(4) / 2)));
}

TEST_CASE("every accelerator and precision has a constant of its own", "[calibration][validation]") {
  std::vector<CaseResult> results = {step("a", 100, 100), step("a", 200, 200), step("b", 300, 300)};
  results[1].precision = "fp8-tensor";
  results[2].accelerator = "B200";
  const ConstantBaseline baseline = constant_baseline(results);
  CHECK(baseline.constants == 3);
  CHECK(baseline.constant.median_abs_log == Approx(0).margin(1e-12));
  CHECK(baseline.ratio == 0);  // nothing to hold against
  CaseResult unsupported = step("c", 1, 1);
  unsupported.status = CaseStatus::unsupported;
  CHECK(constant_baseline({unsupported}).families.empty());
}

TEST_CASE("pairs of sizes are told by the batch", "[calibration][validation]") {
  // 16 -> 32 GPUs: same batch is strong, twice the batch weak; the ratio errs by log(1.1).
  const std::vector<Measurement> measurements = {job(16, 64), job(32, 64), job(32, 128)};
  const std::vector<CaseResult> results = {step("a", 100, 100), step("a", 99, 90), step("a", 96, 96)};
  const ScalingShape shape = scaling_shape(measurements, results);
  CHECK(shape.strong.pairs == 1);
  CHECK(shape.strong.median_abs_log == Approx(std::log(1.1)));
  CHECK(shape.strong.bias == Approx(std::log(1.1)));
  CHECK(shape.strong.unchanged_median == Approx(-std::log(0.9)));
  CHECK(shape.weak.pairs == 1);
  CHECK(shape.weak.median_abs_log == Approx(0).margin(1e-12));
}

TEST_CASE("sizes of other jobs, and sizes inside a node, are no pairs", "[calibration][validation]") {
  const std::vector<CaseResult> results = {step("a", 100, 100), step("a", 99, 90)};
  Measurement other = job(32, 64);
  other.step->job.tensor = 8;
  CHECK(scaling_shape({job(16, 64), other}, results).strong.pairs == 0);
  CHECK(scaling_shape({job(4, 64), job(8, 64)}, results).strong.pairs == 0);
  CHECK(scaling_shape({job(8, 64), job(16, 64)}, results).strong.pairs == 1);
  other = job(32, 64);
  other.id = other.family = other.source = other.step->model.name = "called otherwise";
  CHECK(scaling_shape({job(16, 64), other}, results).strong.pairs == 1);
}

TEST_CASE("pairs that differ in one thing are told apart by it", "[calibration][validation]") {
  Measurement base = job(16, 64);
  base.step->job.precision = "bf16";
  base.step->job.release = CalendarDate{2024, 1};
  const auto changed = [&](auto change) {
    Measurement out = base;
    change(out);
    return out;
  };
  const auto on = [](const char* part) { return [part](Measurement& m) { m.hardware.accelerator = part; }; };
  const auto later = [](Measurement& m) { m.step->job.release = CalendarDate{2025, 1}; };
  Catalog catalog;
  for (const auto& [id, architecture] :
       {std::pair{"H100-SXM", "Hopper"}, std::pair{"H200", "Hopper"}, std::pair{"B200", "Blackwell"}}) {
    AcceleratorPart known;
    known.id = id;
    known.architecture = architecture;
    catalog.accelerators.push_back(known);
  }
  const auto ratios = [&](const std::vector<Measurement>& measurements, bool scored = true) {
    std::vector<CaseResult> results = {step("a", 100, 100), step("a", 165, 150)};
    results.front().scored = scored;
    return changed_fields(measurements, results, catalog);
  };
  const auto pairs = [&](const Measurement& other) {
    std::vector<int> out;
    for (const ChangedField& field : ratios({base, other})) out.push_back(field.figures.pairs);
    return out;
  };
  const RatioFigures part = ratios({base, changed(on("H200"))})[0].figures;
  CHECK(part.pairs == 1);
  CHECK(part.median_abs_log == Approx(std::log(1.1)));
  CHECK(part.unchanged_median == Approx(std::log(1.5)));
  CHECK(ratios({changed(on("H200")), base})[0].figures.bias == Approx(std::log(1.1)));  // from slow to fast
  CHECK(pairs(changed(on("B200"))) == std::vector<int>{0, 1, 0, 0});
  CHECK(pairs(changed([](Measurement& m) { m.step->job.precision = "fp8-tensor"; })) == std::vector<int>{0, 0, 1, 0});
  CHECK(pairs(changed(later)) == std::vector<int>{0, 0, 0, 1});
  CHECK(ratios({base, changed(later)}, false)[3].figures.pairs == 1);               // superseded
  CHECK(ratios({changed(later), base})[3].figures.bias == Approx(-std::log(1.1)));  // by date
  CHECK(pairs(changed([](Measurement& m) { m.hardware.accelerators = 32; })) == std::vector<int>{0, 0, 0, 0});
  const auto with_graphs = [&](Measurement& m) { later(m), m.step->job.cuda_graph = "full"; };
  CHECK(pairs(changed(with_graphs)) == std::vector<int>{0, 0, 0, 0});
}

TEST_CASE("errors of rows held out are summed up by what was published", "[calibration][validation]") {
  std::vector<CaseResult> results = {step("a", 100, 100), step("a", 100, 100), step("b", 100, 100)};
  results[2].known = false;
  const SplitErrors split{"by_model", "model held out", {{0, 0.1}, {1, -0.2}, {2, 0.4}}};
  const auto figures = split_figures(split, results);
  REQUIRE(figures.size() == 4);
  for (const HeldOutFigures& one : figures) CHECK(one.key == "by_model");
  CHECK(figures[0].figures.n == 3);
  CHECK(figures[0].figures.median_abs_log == Approx(0.2));
  CHECK(figures[1].figures.median_abs_log == Approx((0.1 + 0.4) / 2));  // families: lower median of 0.1, 0.2; 0.4
  CHECK(figures[2].figures.n == 2);
  CHECK(figures[2].figures.p90_abs_log == Approx(0.2));
  CHECK(figures[3].figures.median_abs_log == Approx(0.4));
}

TEST_CASE("mixtures, named groups and intervals of rows held out stand beside all", "[calibration][validation]") {
  std::vector<CaseResult> results = {step("a", 100, 100), step("a", 100, 100), step("b", 100, 100)};
  results[1].mixture = true;
  SplitErrors split{"by_accelerator", "accelerator held out", {{0, 0.1}, {1, -0.2}, {2, 0.4}}};
  split.half_widths = {0.15, 0.3, 0.3};
  split.groups = {"", "another vendor", ""};
  const auto figures = split_figures(split, results);
  REQUIRE(figures.size() == 6);
  CHECK(figures[0].figures.in_interval == Approx(2.0 / 3));
  CHECK(figures[4].figures.name == "accelerator held out, mixtures of experts");
  CHECK(figures[4].figures.n == 1);
  CHECK(figures[4].figures.bias == Approx(-0.2));
  CHECK(figures[5].figures.name == "another vendor");
  CHECK(figures[5].figures.n == 1);
}
