// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/machine_error.hpp"

#include <cmath>
#include <random>

#include "sim/interval.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

/// Pairs whose errors are drawn from Student's t: kernels explain 2 to 6 % of them.
std::vector<MachineErrorPair> drawn_pairs(double machine, int count) {
  std::mt19937 random(20261129);
  std::student_t_distribution<double> student(2);
  std::vector<MachineErrorPair> out;
  for (int i = 0; i < count; ++i) {
    MachineErrorPair pair;
    pair.known = std::pow(0.02 + 0.01 * (i % 5), 2);
    pair.error = std::sqrt(pair.known + 2 * machine * machine) * student(random) * half_width_90 / 2.919986;
    out.push_back(pair);
  }
  return out;
}

}  // namespace

TEST_CASE("the error of machines is what kernels do not explain", "[calibration]") {
  for (const double machine : {0.02, 0.045, 0.1})
    CHECK(fitted_machine_error(drawn_pairs(machine, 4000)) == Approx(machine).epsilon(0.1));
  CHECK(fitted_machine_error(drawn_pairs(0, 4000)) < 0.008);
}

TEST_CASE("too few pairs say nothing of machines", "[calibration]") {
  CHECK(fitted_machine_error(drawn_pairs(0.045, 2)) == 0);
}
