// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/peak_fit.hpp"

#include <cmath>

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

/// 20 GB counted, 10 GB beside it.
PeakRow peak(const std::string& series, bool known, double measured_gb) {
  PeakRow row{series, known, measured_gb * gigabyte, {}};
  row.use.weights = 20 * gigabyte;
  row.use.activations = 10 * gigabyte;
  return row;
}

}  // namespace

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
