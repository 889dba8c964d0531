// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "calibration/validation/cross_validate_kernels.hpp"
#include "calibration/validation/predict_kernels.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"
#include "support/relabelled.hpp"
#include "support/shipped_folders.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::vector<Measurement>& microbenchmarks() {
  static const auto all = read_microbenchmarks(CLUSTERWRIGHT_MEASUREMENTS);
  return all;
}

std::vector<ParameterSet> every_shipped_set() {
  std::vector<ParameterSet> out;
  for (const char* name : {"a100-80-sxm", "h100-sxm", "h200", "b200", "gb200-gpu", "generic"})
    out.push_back(decode_record<ParameterSet>(read_json_file(configs / "parameters" / (std::string(name) + ".json"))));
  return out;
}

const ParameterSet* set_of(const std::string& accelerator) {
  static const std::vector<ParameterSet> sets = every_shipped_set();
  const auto serves = [&](const ParameterSet& set) {
    return set.accelerator == accelerator ||
           std::find(set.also_for.begin(), set.also_for.end(), accelerator) != set.also_for.end();
  };
  const auto found = std::find_if(sets.begin(), sets.end(), serves);
  return found == sets.end() ? &sets.back() : &*found;
}

Prediction predict(const Measurement& m) {
  if (m.gemm) return predict_gemm(m, parts().accelerators, set_of);
  if (m.memory) return predict_memory(m, parts().accelerators, set_of);
  return predict_attention(m, parts().accelerators, set_of);
}

bool is_kernel(const Measurement& m) {
  return m.gemm || m.memory || m.attention;
}

std::vector<double> measured_values(const Measurement& m) {
  if (m.memory) return {m.memory->bandwidth.in(gigabyte_per_second)};
  if (m.attention) return {m.attention->rate.in(teraflop_per_second)};
  std::vector<double> out;
  for (const auto& point : m.gemm->points) out.push_back(point.time.in(microsecond));
  return out;
}

const Measurement& first_gemm() {
  return *std::find_if(microbenchmarks().begin(), microbenchmarks().end(),
                       [](const Measurement& m) { return m.gemm.has_value(); });
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

const ErrorFigures& named(const std::vector<ErrorFigures>& all, const std::string& name) {
  INFO(name);
  const auto found = std::find_if(all.begin(), all.end(), [&](const ErrorFigures& one) { return one.name == name; });
  REQUIRE(found != all.end());
  return *found;
}

}  // namespace

TEST_CASE("every published kernel is predicted, with one interval per point", "[calibration][validation]") {
  int cases = 0, points = 0, inside = 0;
  for (const Measurement& m : microbenchmarks()) {
    if (!is_kernel(m)) continue;
    INFO(m.id);
    const Prediction prediction = predict(m);
    REQUIRE(std::holds_alternative<PredictedValues>(prediction));
    const auto& values = std::get<PredictedValues>(prediction);
    const std::vector<double> measured = measured_values(m);
    REQUIRE(values.predicted.size() == measured.size());
    ++cases;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      CHECK(values.low[i] < values.predicted[i]);
      CHECK(values.predicted[i] < values.high[i]);
      points += m.scored;
      inside += m.scored && values.low[i] <= measured[i] && measured[i] <= values.high[i];
    }
  }
  CHECK(cases == 352);
  CHECK(inside > 0.88 * points);
  CHECK(inside < 0.97 * points);  // wider would say nothing
}

TEST_CASE("neither times nor labels change what is predicted of a kernel", "[calibration][validation]") {
  for (const Measurement& m : microbenchmarks()) {
    if (!is_kernel(m)) continue;
    INFO(m.id);
    Measurement other = with_other_answers(m);
    other.id = other.family = other.source = "another";
    CHECK(std::get<PredictedValues>(predict(other)).predicted == std::get<PredictedValues>(predict(m)).predicted);
  }
}

TEST_CASE("grouped problems and best shapes of a search were never fitted and are predicted", "[calibration]") {
  std::vector<double> grouped, best;
  for (const Measurement& m : microbenchmarks()) {
    if (!m.gemm || (m.gemm->groups == 1 && !m.gemm->best_of_search)) continue;
    const auto values = std::get<PredictedValues>(predict(m));
    for (std::size_t i = 0; i < values.predicted.size(); ++i)
      (m.gemm->groups > 1 ? grouped : best).push_back(std::abs(std::log(values.predicted[i] / measured_values(m)[i])));
  }
  CHECK(grouped.size() == 4);
  CHECK(median(grouped) < 0.04);
  CHECK(best.size() == 15);
  CHECK(median(best) < 0.06);
}

TEST_CASE("a kernel without a model is refused with the reason", "[calibration][validation]") {
  const auto reason = [](const Measurement& m) { return std::get<std::string>(predict(m)); };
  Measurement other = first_gemm();
  other.hardware.accelerator = "no such part";
  other.hardware.memory_bandwidth.reset();  // nor a whole data sheet
  CHECK(reason(other).find("accelerator") != std::string::npos);
  other = first_gemm();
  other.gemm->dtype = "posit8";
  CHECK(reason(other).find("posit8") != std::string::npos);
  other = first_gemm();
  other.hardware.accelerator = "A100-80-SXM";
  CHECK(reason(other).find("fp8-block") != std::string::npos);  // an Ampere has no such units
  other = first_gemm();
  other.gemm.reset();
  other.memory = MeasuredMemory{"copy", "through the air", {}, {}};
  CHECK(reason(other).find("through the air") != std::string::npos);
  other.memory->path = "device-memory";
  other.memory->op = "shuffle";
  CHECK(reason(other).find("shuffle") != std::string::npos);
}

TEST_CASE("a part without measurements is predicted from its data sheet, with a wide interval", "[calibration]") {
  Measurement tpu = first_gemm();
  tpu.hardware.accelerator = "TPU-v5p";
  tpu.hardware.peak_dense = {{"bf16", 459 * teraflop_per_second}};
  tpu.hardware.memory_bandwidth = 2.8 * terabyte_per_second;
  tpu.gemm->dtype = "bf16";
  tpu.gemm->points = {{8192, 8192, 8192, 1 * microsecond}};
  const auto values = std::get<PredictedValues>(predict(tpu));
  // 1.1 TFLOP at 459 TFLOP/s take 2395 us at the peak; a well-fed array reaches 60 to 95 % of it.
  CHECK(values.predicted[0] > 2395 / 0.95);
  CHECK(values.predicted[0] < 2395 / 0.6);
  CHECK(std::log(values.high[0] / values.predicted[0]) > 0.15);
}

TEST_CASE("kernels held out are predicted as well as the documentation says", "[calibration][validation]") {
  std::vector<ErrorFigures> all;
  for (const HeldOutFigures& one : cross_validate_kernels(microbenchmarks(), parts().accelerators))
    all.push_back(one.figures);
  const auto check = [&](const std::string& name, double median, double p90) {
    const ErrorFigures& figures = named(all, name);
    CHECK(figures.median_abs_log < median);
    CHECK(figures.p90_abs_log < p90);
  };
  check("GEMM, Ampere, M >= 1024, shape held out", 0.05, 0.12);
  check("GEMM, Hopper, M >= 1024, shape held out", 0.05, 0.12);
  check("GEMM, Blackwell, M >= 1024, shape held out", 0.07, 0.17);
  check("GEMM, Blackwell, M >= 1024, accelerator held out", 0.07, 0.17);
  check("GEMM, Hopper, M >= 1024, generation held out", 0.10, 0.20);
  check("GEMM, Ampere, M >= 1024, generation held out", 0.15, 0.28);
  check("GEMM, Blackwell, M >= 1024, generation held out", 0.15, 0.28);
  check("memory, generation held out", 0.08, 0.10);
}

TEST_CASE("rows that no relative can predict are missing from the figures", "[calibration][validation]") {
  for (const HeldOutRow& row : held_out_kernels(microbenchmarks(), parts().accelerators, KernelFold::accelerator))
    CHECK(row.architecture != "Ampere");  // only one Ampere was measured
}
