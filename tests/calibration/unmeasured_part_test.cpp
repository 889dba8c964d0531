// SPDX-License-Identifier: Apache-2.0
// Accelerators that nobody measured: what their data sheet and their relatives say.
#include <set>

#include "calibration/fit/parameter_fit.hpp"
#include "calibration/fit/step_problem.hpp"
#include "calibration/measured/measured_cluster.hpp"
#include "calibration/measured/measured_scenario.hpp"
#include "calibration/validation/validate_case.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"
#include "support/shipped_folders.hpp"
#include "topology/parts/catalog.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const Catalog& catalog() {
  static const Catalog loaded = load_catalog(std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "parts");
  return loaded;
}

const AcceleratorPart& part(const std::string& id) {
  return *catalog().find_accelerator(id);
}

/// The first step that ran on TPU v5e, under a name that no catalog has.
Measurement renamed_step() {
  for (Measurement one : read_measurements(measurements / "training-tpu.json"))
    if (one.hardware.accelerator == "TPU-v5e" && one.scored) {
      one.hardware.accelerator = "Chip-1";
      return one;
    }
  throw std::logic_error("no such step");
}

}  // namespace

TEST_CASE("every accelerator that a measurement may name is in the catalog", "[calibration]") {
  const JsonValue schema = read_json_file(measurements / "schema.json");
  const JsonValue& ids = *schema.at_pointer("/definitions/hardware/properties/accelerator/enum");
  CHECK(ids.elements().size() > 50);
  for (const JsonValue& id : ids.elements()) {
    INFO(id.as_text());
    CHECK(catalog().find_accelerator(id.as_text()));
  }
}

TEST_CASE("a part that the catalog lacks is made from the data sheet of its measurement", "[calibration]") {
  const Measurement step = renamed_step();
  const auto made = measured_part(step.hardware, catalog().accelerators);
  REQUIRE(made);
  CHECK(peak(*made, NumberFormat::bf16).in(teraflop_per_second) == Approx(197));
  CHECK(made->memory_bandwidth.value.in(terabyte_per_second) == Approx(0.81));
  CHECK(made->power.value.in(watt) == Approx(200));
  const ScenarioShelf shelf = load_shelf(CLUSTERWRIGHT_CONFIGS);
  const auto described = measured_scenario(step, shelf);
  REQUIRE(std::holds_alternative<Scenario>(described));
  CHECK(std::get<Scenario>(described).cluster.accelerator.id == "Chip-1");
}

TEST_CASE("a step on a part of its own data sheet is predicted with a wide interval", "[calibration]") {
  const ValidationContext context = validation_context(load_shelf(CLUSTERWRIGHT_CONFIGS));
  const CaseResult result = validate_case(renamed_step(), context);
  INFO(result.reason);
  REQUIRE(result.status == CaseStatus::ok);
  CHECK(result.high.front() / result.low.front() > 1.3);
}

TEST_CASE("without a memory bandwidth no part can be made", "[calibration]") {
  Measurement step = renamed_step();
  step.hardware.memory_bandwidth.reset();
  CHECK_FALSE(measured_part(step.hardware, catalog().accelerators));
}

TEST_CASE("kernels serve parts of one architecture whose groups were measured", "[calibration]") {
  CHECK(may_serve(part("H200"), part("H20")));
  CHECK(may_serve(part("GB200-GPU"), part("B200")));
  CHECK(may_serve(part("A100-80-SXM"), part("A10")));
  CHECK_FALSE(may_serve(part("H200"), part("A100-80-SXM")));
  CHECK_FALSE(may_serve(part("B200"), part("RTX-5090")));  // other matrix instructions
  CHECK_FALSE(may_serve(part("H200"), part("TPU-v5p")));
}

TEST_CASE("the overhead line passes near three points on a line and keeps its slope where there is one",
          "[calibration]") {
  const OverheadLine line =  // 0.2 per unit
      fit_overhead_line({{0.8, 0.0, "A"}, {1.4, 0.12, "A"}, {2.2, 0.28, "A"}});
  CHECK(line.at(1.4, "A") == Approx(0.12).margin(0.02));
  CHECK(line.slope == Approx(0.2).margin(0.05));
  CHECK(line.at(-10, "A") == 0);
  const OverheadLine alone = fit_overhead_line({{1, 0.3, "A"}});
  CHECK(alone.at(1, "A") < 0.3);  // shrunk towards the prior
  CHECK(alone.slope == Approx(0.10));
}

TEST_CASE("architectures of one vendor pass on what they share, and leave other vendors alone", "[calibration]") {
  const std::vector<OverheadPoint> one = {{1, 0.05, "A"}, {1.5, 0.10, "A"}, {2, 0.15, "A"}};
  std::vector<OverheadPoint> two = one;
  two.push_back({1.5, 0.50, "B"});
  const OverheadLine without = fit_overhead_line(one), with = fit_overhead_line(two);
  CHECK(with.at(1.5, "B") == Approx(0.50).margin(0.03));
  CHECK(with.at(1.5, "A") == Approx(without.at(1.5, "A")).margin(0.01));
  CHECK(with.at(1.5, "C") > without.at(1.5, "C"));  // vendors do differ upwards
  CHECK(with.at(1.5, "C") < 0.25);
  CHECK(without.vendors.at("A").error < with.vendors.at("B").error);
  two.back().own_kernels = false;
  CHECK(fit_overhead_line(two).at(1.5, "B") < with.at(1.5, "B"));
}
