// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/ratio_error.hpp"

#include <cmath>

#include "models/lowering/step_charge.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

StepCalibration calibration_of(double lost, double growth) {
  StepCalibration out;
  out.residuals.size_lost.value = lost;
  out.residuals.size_growth.value = growth;
  return out;
}

/// A step of one job, of which communication takes `exposed` and GEMMs the rest.
StepUncertainty step_on(double accelerators, double exposed) {
  StepUncertainty out;
  out.job = out.work = "job";
  out.twin = std::to_string(accelerators);
  out.accelerators = accelerators;
  out.own = 0.05;
  out.size = 0.01;
  out.shares[static_cast<std::size_t>(StepCharge::dp_exposed)] = exposed;
  out.shares[static_cast<std::size_t>(StepCharge::compute_gemm)] = 1 - exposed;
  return out;
}

/// Probability of values beyond `from`, summed over the density in steps that grow with the distance.
double probability_beyond(double from, const RatioError& error) {
  double sum = 0, x = from;
  for (double step = 1e-5; x < 100; step *= 1.001) {
    sum += ratio_density(x + step / 2, error) * step;
    x += step;
  }
  return sum;
}

}  // namespace

TEST_CASE("the larger one of two sizes may lose what no model has", "[models]") {
  const StepCalibration c = calibration_of(0.1, 0.03);
  const StepUncertainty small = step_on(64, 0.10), large = step_on(256, 0.14);
  const RatioError error = ratio_error(large, small, c);
  const double both = 2 * 0.01 * 0.01 + 0.1 * 0.1 * 0.04;
  CHECK(lost_difference(large, small) == Approx(0.04));
  CHECK(error.faster == Approx(std::sqrt(both)));
  CHECK(error.slower == Approx(std::sqrt(both + 0.03 * 0.03 * 2)));  // two doublings
  const RatioError turned = ratio_error(small, large, c);
  CHECK(turned.slower == error.faster);
  CHECK(turned.faster == error.slower);
}

TEST_CASE("sides differ for two sizes of one job alone", "[models]") {
  const StepCalibration c = calibration_of(0.1, 0.03);
  const StepUncertainty step = step_on(64, 0.10);
  StepUncertainty other_batch = step, other_layout = step_on(256, 0.10);
  other_batch.twin = "another batch";
  other_layout.job = "another layout";
  other_layout.layout = 0.08;
  for (const StepUncertainty* other : {&other_batch, &other_layout}) {
    const RatioError error = ratio_error(*other, step, c);
    CHECK(error.slower == error.faster);
    CHECK(error.slower > 0);
  }
}

TEST_CASE("two accelerators at one task have a part of their own", "[models]") {
  StepUncertainty one = step_on(64, 0.10), other = step_on(64, 0.10);
  for (StepUncertainty* step : {&one, &other}) {
    step->task = "task";
    step->machine = 0.03;
  }
  other.work = other.job = other.twin = "another accelerator";
  const StepCalibration c = calibration_of(0.1, 0.03);
  const auto variance = [&](double accelerators) {
    other.accelerators = accelerators;
    return std::pow(ratio_error(one, other, c).slower, 2);
  };
  CHECK(variance(64) == Approx(2 * 0.03 * 0.03));
  // Half a doubling apart, half of the way to two jobs; from one doubling on they are.
  CHECK(variance(64 * std::sqrt(2.0)) == Approx(0.03 * 0.03 + 0.05 * 0.05));
  CHECK(variance(128) == Approx(2 * 0.05 * 0.05));
  CHECK(variance(16) == Approx(2 * 0.05 * 0.05));
  other.task = "another model";
  CHECK(variance(64) == Approx(2 * 0.05 * 0.05));
}

TEST_CASE("twins err in what differs between them alone", "[models]") {
  StepUncertainty slow = step_on(64, 0.14), fast = step_on(64, 0.10);
  constexpr double settled = 2 * 3e-4 * 3e-4;
  const RatioError error = ratio_error(slow, fast, calibration_of(0.1, 0.03));
  CHECK(error.slower == error.faster);
  CHECK(std::pow(error.slower, 2) == Approx(2 * std::pow(0.05 * 0.04, 2) + settled).epsilon(1e-3));
  fast.shares = slow.shares;
  CHECK(ratio_error(slow, fast, calibration_of(0.1, 0.03)).slower < 5e-4);
}

TEST_CASE("probabilities have the shape of Student's t with the 90 % interval of the ratio", "[models]") {
  const auto ahead = [](double log_ratio, double sigma) { return probability_ahead(log_ratio, {sigma, sigma}); };
  CHECK(ahead(1.645 * 0.1, 0.1) == Approx(0.95).epsilon(1e-5));
  CHECK(ahead(0, 0.1) == Approx(0.5));
  CHECK(ahead(0.04, 0.028) == Approx(0.937).epsilon(1e-3));
  CHECK(ahead(-0.04, 0.028) == Approx(1 - ahead(0.04, 0.028)));
  CHECK(ahead(0.1, 0) == 1);
  CHECK(ahead(-0.1, 0) == 0);
  CHECK(ahead(0, 0) == 0.5);
}

TEST_CASE("each side of a ratio has the share of its standard deviation", "[models]") {
  const RatioError error{0.03, 0.01};
  CHECK(probability_ahead(0, error) == Approx(0.25));
  CHECK(probability_ahead(-0.01, error) == Approx(0.0545).epsilon(0.01));
  for (const double log_ratio : {-0.2, -0.01, 0.0, 0.004, 0.05}) {
    CHECK(probability_ahead(log_ratio, error) == Approx(probability_beyond(-log_ratio, error)).epsilon(2e-3));
    CHECK(probability_ahead(log_ratio, error) + probability_ahead(-log_ratio, error.of_inverse()) == Approx(1));
  }
  const Interval<double> interval = interval_around(0.1, error);
  const double inside = probability_beyond(std::log(interval.low) - 0.1, error) -
                        probability_beyond(std::log(interval.high) - 0.1, error);
  CHECK(inside == Approx(0.9).epsilon(2e-3));
  CHECK(std::log(interval.value) == Approx(0.1));
}

TEST_CASE("a side without an error is never met", "[models]") {
  CHECK(probability_ahead(0.01, {0.03, 0}) < 1);
  CHECK(probability_ahead(0, {0.03, 0}) == 0);
  CHECK(probability_ahead(-0.01, {0.03, 0}) == 0);
  CHECK(probability_ahead(0.01, {0, 0.03}) == 1);
}
