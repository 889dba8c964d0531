// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/kernel_power.hpp"

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

DevicePowerParameters weights() {
  DevicePowerParameters out;
  out.tensor_weight.value = 1.1;
  out.memory_weight.value = 0.3;
  out.link_weight.value = 0.2;
  out.active_weight.value = 0.25;
  return out;
}

AcceleratorPart board() {
  AcceleratorPart out;
  out.power.value = 700 * watt;
  return out;
}

}  // namespace

TEST_CASE("a kernel draws for being there, for its units, for memory and for links", "[models]") {
  const PowerRange range{600 * watt, 600 * watt};
  CHECK(kernel_power({0, 0, 0}, range, weights()).in(watt) == Approx(150));  // 0.25 x 600
  // 0.25 + (1.1 - 0.25) x 0.8 + 0.3 x 0.5 = 1.08
  CHECK(kernel_power({0.8, 0.5, 0}, range, weights()).in(watt) == Approx(648));
  // A collective holds few multiprocessors: 0.2 alone.
  CHECK(kernel_power({0, 0, 1}, range, weights()).in(watt) == Approx(120));
  // Zeros toggle nothing, but the die stays clocked: 0.25 + 0.5 x 0.85 x 1 = 0.675
  CHECK(kernel_power({1, 0, 0}, range, weights(), 0.5).in(watt) == Approx(405));
  // A die that could draw twice the rating: 1200 (0.25 + 0.85 x 0.8) + 600 x 0.3 x 0.5
  CHECK(kernel_power({0.8, 0.5, 0}, {1200 * watt, 600 * watt}, weights()).in(watt) == Approx(1206));
  CHECK(kernel_power({0, 0, 1}, {1200 * watt, 600 * watt}, weights()).in(watt) == Approx(120));
}

TEST_CASE("the range of power goes from idle to what the die draws", "[models]") {
  DevicePowerParameters power = weights();
  CHECK(idle_power(board(), power).in(watt) == Approx(70));  // a tenth where nobody says
  CHECK(power_range(board(), power).die.in(watt) == Approx(630));
  power.idle = {90 * watt, "measured"};
  CHECK(power_range(board(), power).die.in(watt) == Approx(610));
  power.reference_power = {750 * watt, "measured"};  // the same die on a board that allows more
  CHECK(die_power(board(), power).in(watt) == Approx(750));
  CHECK(power_range(board(), power).die.in(watt) == Approx(660));
  CHECK(power_range(board(), power).board.in(watt) == Approx(610));
}
