// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/held_out_interval.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "calibration/fit/seen_steps.hpp"
#include "models/prediction/prediction_interval.hpp"
#include "sim/interval.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

const ScenarioShelf& shelf_of_all_rows() {
  static const ScenarioShelf out = load_shelf(std::filesystem::path(CLUSTERWRIGHT_CONFIGS));
  return out;
}

/// One in thirty of the published steps, enough for all vendors and years.
const std::vector<StepRow>& few_rows() {
  static const std::vector<StepRow> out = [] {
    std::vector<Measurement> few;
    const std::vector<Measurement> all = read_training_steps(CLUSTERWRIGHT_MEASUREMENTS);
    for (std::size_t i = 0; i < all.size(); i += 30) few.push_back(all[i]);
    return step_rows(few, shelf_of_all_rows());
  }();
  return out;
}

std::vector<double> widths(const StepGroups& groups) {
  std::map<std::string, StepCalibration> calibrations;
  for (const StepRow& row : few_rows())
    if (const std::string group = groups.group_of(row); !group.empty()) calibrations[group] = shelf_of_all_rows().steps;
  std::vector<StepPrediction> steps;
  for (const StepRow& row : few_rows()) steps.push_back(predicted_step(row));
  return held_out_half_widths(few_rows(), steps, groups, calibrations);
}

std::vector<double> widths_of_all_rows() {
  return widths({[](const StepRow&) { return std::string(); }});
}

std::string vendor_of(const StepRow& row) {
  return row.scenario.cluster.accelerator.vendor;
}

std::string release_year(const StepRow& row) {
  return std::to_string(release_of(row.scenario.stack, row.scenario.job).year);
}

}  // namespace

TEST_CASE("a row that is never held out has the interval of the shipped calibration", "[validation][evidence]") {
  const std::vector<double> all = widths_of_all_rows();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const StepRow& row = few_rows()[i];
    CHECK(all[i] == Approx(half_width_90 * step_uncertainty(predicted_step(row), row.scenario, row.known).sigma));
  }
}

TEST_CASE("rows of a held-out vendor have the interval of a vendor without measurements", "[validation][evidence]") {
  const std::vector<double> held = widths({vendor_of}), all = widths_of_all_rows();
  int others = 0;
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (vendor_of(few_rows()[i]) == "NVIDIA") continue;
    ++others;
    CAPTURE(vendor_of(few_rows()[i]), held[i], all[i]);
    CHECK(held[i] > all[i]);
    CHECK(held[i] >= half_width_90 * shelf_of_all_rows().steps.residuals.vendor.value);
  }
  CHECK(others > 0);
}

TEST_CASE("rows of the first year have nothing measured before them, rows of a later year more",
          "[validation][evidence]") {
  const StepGroups years{release_year, [](const std::string& other, const std::string& held) { return other < held; }};
  const std::vector<double> held = widths(years), all = widths_of_all_rows();
  std::string first = "9999";
  for (const StepRow& row : few_rows()) first = std::min(first, release_year(row));
  double early = 0, late = 0, early_rows = 0, late_rows = 0;
  for (std::size_t i = 0; i < held.size(); ++i) {
    const bool earliest = release_year(few_rows()[i]) == first;
    (earliest ? early : late) += held[i] / all[i];
    (earliest ? early_rows : late_rows) += 1;
    if (earliest) CHECK(held[i] > all[i]);
  }
  REQUIRE(early_rows > 0);
  REQUIRE(late_rows > 0);
  CHECK(early / early_rows > late / late_rows);
}

TEST_CASE("a calibration states the steps that its fit has seen", "[validation][evidence]") {
  StepCalibration steps = shelf_of_all_rows().steps;
  publish_seen(
      few_rows(), [](const StepRow& row) { return vendor_of(row) != "NVIDIA"; }, steps);
  CHECK(std::ranges::find(steps.vendors, "NVIDIA") == steps.vendors.end());
  CHECK_FALSE(steps.measured_steps.contains("Hopper"));
  CHECK_FALSE(steps.vendors.empty());
  publish_seen(
      few_rows(), [](const StepRow&) { return false; }, steps);
  CHECK(steps.accelerators.empty());
  CHECK(steps.measured_steps.empty());
  CHECK_FALSE(steps.newest_release.known());
}
