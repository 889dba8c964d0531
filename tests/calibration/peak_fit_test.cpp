// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/peak_fit.hpp"

#include <cmath>

#include "models/plan/plan.hpp"
#include "models/search/choose_plan.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// 20 GB counted, 10 GB beside it.
PeakRow peak(const std::string& series, bool known, double measured_gb) {
  PeakRow row{series, known, measured_gb * gigabyte, {}};
  row.use.weights = 20 * gigabyte;
  row.use.activations = 10 * gigabyte;
  return row;
}

}  // namespace

TEST_CASE("a peak of the allocator is compared with what the allocator manages", "[calibration]") {
  SmallCase c;
  const Scenario s = small_scenario(c);
  const ChosenPlan chosen = choose_plan(s);
  MeasuredStep step;
  const MemoryUse whole = reported_memory(chosen, step);
  CHECK(whole.total() == chosen.memory.total());
  step.peak_of = "allocator";
  const MemoryUse managed = reported_memory(chosen, step);
  const StageLayout layout = stage_layout(s.transformer.layers, chosen.plan);
  const Bytes outside = outside_allocator(planned_job(s.transformer, s.job, s.stack, chosen.plan, layout));
  CHECK(outside >= s.stack.reserved_memory.value);
  CHECK((whole.total() - managed.total()) / outside == Approx(1));
}

TEST_CASE("residuals of memory come from what counting leaves open", "[calibration]") {
  // 34 - 20 = 14 GB where 10 are predicted
  const MemoryResiduals r = memory_residuals({peak("a", true, 34)});
  CHECK(r.known.value == Approx(std::log(1.4) / 1.645).epsilon(1e-6));
  CHECK(r.other.value == r.known.value);
}

TEST_CASE("a long series of peaks counts as much as a single one", "[calibration]") {
  std::vector<PeakRow> rows(50, peak("long", true, 30));
  rows.push_back(peak("single", true, 40));
  CHECK(memory_residuals(rows).known.value == Approx(std::log(2) / 1.645).epsilon(1e-6));
}

TEST_CASE("a peak below what is counted stands for a tenth of the rest", "[calibration]") {
  CHECK(memory_residuals({peak("a", false, 15)}).other.value == Approx(std::log(10) / 1.645).epsilon(1e-6));
}
