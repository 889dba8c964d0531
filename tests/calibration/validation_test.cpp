// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>

#include "calibration/validation/cross_validate_collectives.hpp"
#include "calibration/validation/validate_case.hpp"
#include "calibration/validation/validation_summary.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"
#include "support/shipped_folders.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::vector<Measurement>& published() {
  static const auto all = read_measurements(std::filesystem::path(CLUSTERWRIGHT_MEASUREMENTS) / "collectives.json");
  return all;
}

/// One set for all accelerators is enough to see what moves.
const CollectiveSet& transfer_set(const std::string&) {
  static const CollectiveSet set =
      collective_set(decode_record<ParameterSet>(read_json_file(configs / "parameters" / "generic.json")));
  return set;
}

CaseResult validated(const Measurement& measurement) {
  return validate_collective(measurement, parts(), transfer_set);
}

CaseResult result(const std::string& family, std::vector<double> predicted, std::vector<double> measured) {
  CaseResult out;
  out.family = family;
  for (const double value : predicted) {
    out.low.push_back(value / 1.2);
    out.high.push_back(value * 1.2);
  }
  out.predicted = std::move(predicted);
  out.measured = std::move(measured);
  return out;
}

void check_equal(const ErrorFigures& a, const ErrorFigures& b) {
  INFO(a.name);
  CHECK(a.name == b.name);
  CHECK(a.n == b.n);
  CHECK(a.median_abs_log == Approx(b.median_abs_log).epsilon(1e-6));
  CHECK(a.p90_abs_log == Approx(b.p90_abs_log).epsilon(1e-6));
}

}  // namespace

TEST_CASE("the numbers of the step fit stand behind steps and power", "[calibration][validation]") {
  const ScenarioShelf shelf = load_shelf(configs);
  const auto of_steps = static_cast<int>(shelf.steps.fitted.size());
  CHECK(of_steps > 0);
  CHECK(fitted_parameters(shelf, {}, false) == 0);
  CHECK(fitted_parameters(shelf, {}, true) == of_steps);
  CaseResult power = result("a", {100}, {110}), gemm = power;
  power.accelerator = gemm.accelerator = "H100-SXM";
  power.kind = "power";
  gemm.kind = "gemm";
  const std::vector<Measurement> none(1);
  CHECK(summarise(none, {power}, shelf).parameters_used == summarise(none, {gemm}, shelf).parameters_used + of_steps);
}

TEST_CASE("labels change no prediction", "[calibration][validation]") {
  const std::size_t n = published().size();
  for (std::size_t i = 0; i < n; ++i) {
    Measurement relabelled = published()[i];
    const Measurement& other = published()[(7 * i + 3) % n];
    relabelled.id = other.id;
    relabelled.family = other.family;
    relabelled.source = other.source;
    const CaseResult before = validated(published()[i]), after = validated(relabelled);
    CHECK(before.predicted == after.predicted);
    CHECK(before.low == after.low);
    CHECK(before.high == after.high);
  }
}

TEST_CASE("published times change no prediction", "[calibration][validation]") {
  for (const Measurement& measurement : published()) {
    Measurement slower = measurement;
    for (auto& point : slower.collective->points) point.time *= 10;
    CHECK(validated(slower).predicted == validated(measurement).predicted);
  }
}

TEST_CASE("fits without a part of the rows do not read labels either", "[calibration][validation]") {
  std::vector<Measurement> relabelled = published();
  for (std::size_t i = 0; i < relabelled.size(); ++i) {
    relabelled[i].family = "family " + std::to_string(i % 3);
    relabelled[i].id = std::to_string(relabelled.size() - i);
    relabelled[i].source.clear();
  }
  const auto before = cross_validate_collectives(published(), parts().accelerators);
  const auto after = cross_validate_collectives(relabelled, parts().accelerators);
  REQUIRE(before.size() == 6);
  REQUIRE(after.size() == 6);
  for (std::size_t i = 0; i < before.size(); ++i) check_equal(before[i].figures, after[i].figures);
}

TEST_CASE("cases without a model are unsupported, with the reason", "[calibration][validation]") {
  Measurement other = published().front();
  other.hardware.accelerator = "no such part";
  other.hardware.memory_bandwidth.reset();  // nor a whole data sheet
  CHECK(validated(other).status == CaseStatus::unsupported);
  CHECK(validated(other).reason.find("accelerator") != std::string::npos);
  other = published().front();
  other.collective->op = "gossip";
  CHECK(validated(other).status == CaseStatus::unsupported);
  CHECK(validated(other).reason.find("gossip") != std::string::npos);
  other = published().front();
  other.collective->ranks += 1;
  CHECK(validated(other).reason.find("uneven") != std::string::npos);
  other.collective->points.clear();
  CHECK(validated(other).status == CaseStatus::unsupported);
  other.collective.reset();
  CHECK(validated(other).status == CaseStatus::unsupported);
  CHECK(validated(other).predicted.empty());
}

TEST_CASE("a case weighs one, and its points share that", "[calibration][validation]") {
  // One case twice too slow, one with four points a tenth too slow: weights 1 and 4 x 1/4.
  const std::vector<CaseResult> results = {result("a", {2}, {1}), result("a", {1.1, 1.1, 1.1, 1.1}, {1, 1, 1, 1}),
                                           result("b", {0.5}, {1})};
  const ErrorFigures all = error_figures("all", results);
  CHECK(all.n == 3);
  CHECK(all.coverage == 1);
  CHECK(all.median_abs_log == Approx(std::log(2)));  // the tenth weighs 1 of 3, below half
  CHECK(all.p90_abs_log == Approx(std::log(2)));
  CHECK(all.bias == Approx(std::log(1.1)));  // too fast, a tenth too slow, twice too slow
  CHECK(all.in_interval == Approx(1.0 / 3));
  CHECK(all.median_half_width == Approx(std::log(1.2)));
  const auto families = family_figures(results);
  REQUIRE(families.size() == 2);
  CHECK(families[0].name == "a");
  CHECK(families[0].n == 2);
  CHECK(families[0].median_abs_log == Approx(std::log(1.1)));
  CHECK(families[1].bias == Approx(-std::log(2)));
}

TEST_CASE("what is not scored or has no valid number enters no error", "[calibration][validation]") {
  CaseResult unscored = result("a", {9}, {1});
  unscored.scored = false;
  CaseResult unsupported = result("a", {}, {});
  unsupported.status = CaseStatus::unsupported;
  const CaseResult infinite = result("a", {INFINITY}, {1}), zero = result("a", {0}, {1});
  const ErrorFigures figures = error_figures("a", {unscored, unsupported, infinite, zero, result("a", {1.05}, {1})});
  CHECK(figures.n == 4);
  CHECK(figures.coverage == Approx(0.25));
  CHECK(figures.median_abs_log == Approx(std::log(1.05)));
  CHECK(figures.within_10_percent == 1);
  CHECK(error_figures("none", {}).n == 0);
  CHECK(error_figures("none", {}).median_abs_log == 0);
}
