// SPDX-License-Identifier: Apache-2.0
// Ranges and residuals that the shipped step calibration states follow from its rows.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include "calibration/fit/seen_steps.hpp"
#include "calibration/fit/step_fit.hpp"
#include "calibration/fit/step_widths.hpp"
#include "models/job/parameter_choice.hpp"
#include "models/prediction/parameter_error.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

const std::filesystem::path shipped_configs = CLUSTERWRIGHT_CONFIGS;

/// Paths of all numbers of a document with a standard error.
void add_uncertain(const JsonValue& value, const std::string& path, std::set<std::string>& out) {
  if (!value.is(JsonKind::object)) return;
  if (const JsonValue* error = value.find("std_error"); error && error->as_number() > 0) out.insert(path);
  for (const auto& [key, member] : value.members()) add_uncertain(member, path.empty() ? key : path + "/" + key, out);
}

}  // namespace

TEST_CASE("the shipped calibration states the releases and residuals of its rows", "[validation][evidence]") {
  const ScenarioShelf shelf = load_shelf(shipped_configs);
  const std::vector<Measurement> measured = read_training_steps(CLUSTERWRIGHT_MEASUREMENTS);
  const StepFitResult fit = committed_steps(measured, shelf);
  StepCalibration again = shelf.steps;
  again.oldest_release = again.newest_release = {};
  publish_seen(
      fit.rows, [](const StepRow&) { return true; }, again);
  publish_residuals(fit, kernel_variances(fit.rows), never_fitted_rows(measured, shelf), again);
  CHECK(again.oldest_release.text() == shelf.steps.oldest_release.text());
  CHECK(again.newest_release.text() == shelf.steps.newest_release.text());
  // Slopes here are shares of the step, those of the fit exact.
  const auto near = [](const Sourced<double>& a, const Sourced<double>& b) {
    return std::abs(a.value - b.value) < 0.02;
  };
  CAPTURE(again.residuals.vendor.value, again.residuals.generation.value, again.residuals.stack.value);
  CHECK(near(again.residuals.known, shelf.steps.residuals.known));
  // Stacks without an entry are no more certain than measured ones that are held out.
  CHECK(near(again.stacks.at(other_entry).residual, shelf.steps.stacks.at(other_entry).residual));
  const StepResiduals& r = shelf.steps.residuals;
  CHECK(shelf.steps.stacks.at(other_entry).residual.value >= std::hypot(r.known.value, r.stack.value) - 1e-6);
  CHECK(near(again.residuals.generation, shelf.steps.residuals.generation));
  CHECK(near(again.residuals.stack, shelf.steps.residuals.stack));
  CHECK(near(again.residuals.vendor, shelf.steps.residuals.vendor));
}

TEST_CASE("fitted parts lie 0.36 from their nearest fitted relative", "[validation][evidence]") {
  // The median distance, which models/prediction/prediction_interval.cpp scales the residual of derived parts by.
  const Catalog catalog = load_catalog(shipped_configs / "parts");
  const auto steps = decode_record<StepCalibration>(read_json_file(shipped_configs / "steps" / "published.json"));
  std::vector<double> nearest;
  for (const std::string& id : steps.accelerators) {
    const AcceleratorPart& part = *catalog.find_accelerator(id);
    double least = std::numeric_limits<double>::infinity();
    for (const std::string& other : steps.accelerators)
      if (const AcceleratorPart& relative = *catalog.find_accelerator(other);
          other != id && step_architecture(relative) == step_architecture(part))
        least = std::min(least, data_sheet_distance(part, relative));
    if (std::isfinite(least)) nearest.push_back(least);
  }
  std::sort(nearest.begin(), nearest.end());
  CHECK(nearest[nearest.size() / 2] == Approx(0.36).margin(0.005));
}

TEST_CASE("every standard error of a parameter file reaches the interval of a step", "[validation][evidence]") {
  // Multiprocessors that communication holds, and power of waiting: to first order they do not change times alone.
  const std::set<std::string> without = {"step/communication_sms", "step/message_sms", "power/waiting_share"};
  for (const auto& entry : std::filesystem::directory_iterator(shipped_configs / "parameters")) {
    INFO(entry.path());
    const JsonValue document = read_json_file(entry.path());
    std::set<std::string> written, reached;
    add_uncertain(document, "", written);
    for (const std::string& name : without) written.erase(name);
    std::erase_if(written, [](const std::string& name) { return name.starts_with("thermal/"); });
    Scenario scenario;
    scenario.parameters = decode_record<ParameterSet>(document);
    for (const FittedNumber& number : fitted_numbers(scenario)) reached.insert(number.name);
    if (!document.at_pointer("/power/voltage_floor"))
      reached.erase("power/voltage_floor");  // its default has an error too
    CHECK(written == reached);
  }
}
