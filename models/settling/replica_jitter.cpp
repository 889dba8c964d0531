// SPDX-License-Identifier: Apache-2.0
#include "models/settling/replica_jitter.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>
#include <random>

#include "models/lowering/step_charge.hpp"

namespace clusterwright {

namespace {

double normal_share_below(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

}  // namespace

Seconds computing_time(const StepTime& step) {
  Seconds out;
  for (std::size_t charge = 0; charge < step.breakdown.size(); ++charge)
    if (kind_of(static_cast<StepCharge>(charge)) == ChargeKind::compute) out += step.breakdown[charge];
  const auto charged = [&](StepCharge charge) { return step.breakdown[static_cast<std::size_t>(charge)]; };
  const Seconds end = to_seconds(step.end) - charged(StepCharge::jitter), bubble = charged(StepCharge::bubble);
  return bubble < end ? out * (end / (end - bubble)) : Seconds();
}

/// Integral of the share of draws whose largest is above x, less that of those below it: Simpson's rule.
double expected_largest(double count) {
  if (count <= 1) return 0;
  constexpr int panels = 240;
  constexpr double end = 9, width = end / panels;
  const auto f = [&](double x) {
    return 1 - std::pow(normal_share_below(x), count) - std::pow(normal_share_below(-x), count);
  };
  double sum = f(0) + f(end);
  for (int i = 1; i < panels; ++i) sum += (i % 2 == 1 ? 4 : 2) * f(i * width);
  return sum * width / 3;
}

double drawn_largest(double count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const double uniform = (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
  const double above = -std::expm1(std::log(uniform) / count);  // share of single draws beyond the largest
  return std::numbers::sqrt2 * boost::math::erfc_inv(2 * above);
}

double expected_loss(const StepCalibration& calibration, const Plan& plan) {
  const double spread = calibration.replica_spread.value;
  return spread > 0 ? spread * expected_largest(plan.data) : 0;
}

Picoseconds replica_jitter(double loss, const StepTime& step) {
  return loss > 0 ? to_picoseconds(std::max(Seconds(), loss * computing_time(step))) : Picoseconds{};
}

void add_jitter(Picoseconds jitter, StepTime& step) {
  step.end = step.end + jitter;
  step.breakdown[static_cast<std::size_t>(StepCharge::jitter)] += to_seconds(jitter);
}

void add_jitter(Picoseconds jitter, StepSummary& step) {
  if (jitter == Picoseconds{}) return;
  add_jitter(jitter, static_cast<StepTime&>(step));
  step.energy = step.mean_power * to_seconds(step.end);
}

}  // namespace clusterwright
