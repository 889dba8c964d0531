// SPDX-License-Identifier: Apache-2.0
// Parts whose rated power cannot pay for their peak.

#include "models/kernels/gemm_time.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"
#include "topology/parts/parts.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const GemmShape large{16384, 16384, 16384};

Seconds time_at(double density, double loss, double reference) {
  GemmParameters parameters = fitted_parameters("h100-sxm").gemm.at("bf16");
  parameters.density_loss.value = loss;
  parameters.density_reference.value = reference;
  const GemmDevice device{1000 * teraflop_per_second, 1000 * terabyte_per_second, 132, density};
  return gemm_time(large, device, parameters, 2 * byte, 2 * byte, 0).time;
}

double overhead_at(double density, std::map<std::string, Sourced<double>> vendors = {}) {
  StepCalibration steps = step_calibration();
  steps.kernel_overhead = {{other_entry, {1.1, "test"}}};
  steps.vendor_overhead = std::move(vendors);
  steps.overhead_per_density.value = 0.2;
  steps.density_reference.value = 1;
  AcceleratorPart part = *parts().find_accelerator("MI300X");
  part.power.value = peak(part, NumberFormat::bf16) / (density * teraflop_per_second) * watt;
  return step_factors(steps, software_stack("megatron-2024"), {}, part).compute /
         steps.stacks.at("megatron-2024").compute.value;
}

}  // namespace

TEST_CASE("power density is the 16-bit peak over the rated power", "[models]") {
  CHECK(power_density(*parts().find_accelerator("A100-80-SXM")) == Approx(312.0 / 400));
  CHECK(power_density(*parts().find_accelerator("V100-SXM-32GB")) == Approx(125.0 / 300));
}

TEST_CASE("a multiply takes longer in proportion on a denser part", "[models]") {
  // 1 + 0.2 x 2 over 1 + 0.2 x 1
  CHECK(time_at(2, 0.2, 1) / time_at(1, 0.2, 1) == Approx(1.4 / 1.2).epsilon(1e-4));
  CHECK(time_at(1, 0.2, 1) / time_at(-1, 0.2, 1) == Approx(1));  // the measured part itself
  CHECK(time_at(2, 0, 0) == time_at(1, 0, 0));
}

TEST_CASE("the tax of an unknown architecture goes with its density and never below 1", "[models]") {
  CHECK(overhead_at(2) / overhead_at(1) == Approx(std::exp(0.2)));
  CHECK(overhead_at(0.01) / overhead_at(0.02) == Approx(1));
}

TEST_CASE("an unknown architecture has the tax of its vendor, if that has one", "[models]") {
  CHECK(overhead_at(1, {{"AMD", {1.5, "test"}}}) / overhead_at(1) == Approx(1.5 / 1.1));
  CHECK(overhead_at(1, {{"NVIDIA", {1.5, "test"}}}) == overhead_at(1));
  // MI355X beside B200: neither wins because nobody measured it.
  const StepCalibration steps = step_calibration();
  const auto tax = [&](const char* part) {
    return step_factors(steps, software_stack("megatron-2024"), {}, *parts().find_accelerator(part)).compute;
  };
  CHECK(tax("MI355X") > 1.2 * tax("B200"));
  CHECK(tax("MI355X") < tax("MI300X"));
}
