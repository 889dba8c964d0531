// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/thermal_fit.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "calibration/fit/sourced_value.hpp"

namespace clusterwright {

namespace {

constexpr double least_seconds = 60;
constexpr double least_rise_c = 5;
constexpr double shortest_constant_s = 1, longest_constant_s = 600;
constexpr double coldest_inlet_c = 0;  // air or water that cools a machine in operation

/// Readings of one device in the order they were taken.
struct HeatTrace {
  std::vector<double> t_s, power_w, temperature_c;
};

void append(const PowerTrace& trace, HeatTrace& out) {
  const double start = out.t_s.empty() ? 0 : out.t_s.back();
  const std::size_t length = std::min({trace.t_s.size(), trace.power_w.size(), trace.temperature_c.size()});
  for (std::size_t i = 0; i < length; ++i) {
    if (!trace.t_s[i] || !trace.power_w[i] || !trace.temperature_c[i]) continue;
    const double at = start + *trace.t_s[i];
    if (!out.t_s.empty() && at <= out.t_s.back()) continue;
    out.t_s.push_back(at);
    out.power_w.push_back(*trace.power_w[i]);
    out.temperature_c.push_back(*trace.temperature_c[i]);
  }
}

HeatTrace heat_trace(const std::vector<ProbeSamples>& all) {
  for (const ProbeSamples& document : all) {
    HeatTrace out;
    for (const HeldLoad load : {HeldLoad::idle_before_ramp, HeldLoad::ramp, HeldLoad::cool_down})
      for (const ProbeSample& sample : document.samples)
        if (const auto* power = std::get_if<ProbedPower>(&sample.what); power && power->held() == load)
          append(sample.trace, out);
    if (!out.t_s.empty()) return out;
  }
  return {};
}

/// First-order low pass of the power, in balance at the start.
std::vector<double> followed(const std::vector<double>& t_s, const std::vector<double>& power_w, double constant_s) {
  std::vector<double> out;
  double state = power_w.empty() ? 0 : power_w.front();
  for (std::size_t i = 0; i < t_s.size(); ++i) {
    if (i > 0) state += (power_w[i - 1] - state) * (1 - std::exp((t_s[i - 1] - t_s[i]) / constant_s));
    out.push_back(state);
  }
  return out;
}

/// Inlet, fast and slow resistance for one time constant, by linear least squares.
struct LinearFit {
  Eigen::Vector3d values, deviations;
  double rms_c = 0;
};

LinearFit solve(const HeatTrace& trace, double constant_s) {
  const std::vector<double> slow = followed(trace.t_s, trace.power_w, constant_s);
  const auto rows = static_cast<Eigen::Index>(trace.t_s.size());
  Eigen::MatrixXd a(rows, 3);
  Eigen::VectorXd b(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const auto k = static_cast<std::size_t>(i);
    a.row(i) << 1, trace.power_w[k], slow[k];
    b[i] = trace.temperature_c[k];
  }
  LinearFit out;
  out.values = a.colPivHouseholderQr().solve(b);
  out.rms_c = std::sqrt((a * out.values - b).squaredNorm() / static_cast<double>(rows));
  out.deviations = (out.rms_c * out.rms_c * (a.transpose() * a).inverse().diagonal()).cwiseSqrt();
  return out;
}

/// Time constant with the smallest error: a coarse walk, then a golden section around its best step.
double best_constant(const HeatTrace& trace) {
  const auto error = [&](double log_constant) { return solve(trace, std::exp(log_constant)).rms_c; };
  const double first = std::log(shortest_constant_s), last = std::log(longest_constant_s), step = (last - first) / 40;
  double best = first;
  for (double at = first; at <= last; at += step)
    if (error(at) < error(best)) best = at;
  double low = std::max(first, best - step), high = std::min(last, best + step);
  constexpr double golden = 0.618033988749895;
  while (high - low > 1e-4) {
    const double a = high - golden * (high - low), b = low + golden * (high - low);
    (error(a) < error(b) ? high : low) = error(a) < error(b) ? b : a;
  }
  return std::exp((low + high) / 2);
}

bool tells_enough(const HeatTrace& trace) {
  if (trace.t_s.size() < 20 || trace.t_s.back() - trace.t_s.front() < least_seconds) return false;
  const auto [low, high] = std::minmax_element(trace.temperature_c.begin(), trace.temperature_c.end());
  return *high - *low >= least_rise_c;
}

/// Whether the trace shows the balance that the fit goes to: a time constant longer than the trace, or an inlet that no
/// machine has, is an extrapolation.
bool is_settled(const HeatTrace& trace, double constant_s, const LinearFit& fit) {
  const double inlet = fit.values[0], fast = fit.values[1], slow = fit.values[2];
  const double coldest = *std::min_element(trace.temperature_c.begin(), trace.temperature_c.end());
  return slow > 0 && fast >= 0 && constant_s < trace.t_s.back() - trace.t_s.front() && inlet >= coldest_inlet_c &&
         inlet <= coldest;
}

}  // namespace

std::optional<ThermalParameters> fit_thermal(const std::vector<ProbeSamples>& all, const std::string& source) {
  const HeatTrace trace = heat_trace(all);
  if (!tells_enough(trace)) return std::nullopt;
  const double constant_s = best_constant(trace);
  const LinearFit fit = solve(trace, constant_s);
  if (!is_settled(trace, constant_s, fit)) return std::nullopt;
  const double fast = fit.values[1], slow = fit.values[2];
  const std::string from = fmt::format("fit of {} readings over {:.0f} s, {:.1f} C rms: {}", trace.t_s.size(),
                                       trace.t_s.back() - trace.t_s.front(), fit.rms_c, source);
  ThermalParameters out;
  out.inlet_c = sourced_value(fit.values[0], fit.deviations[0], from);
  out.resistance_c_per_w = sourced_value(fast + slow, std::hypot(fit.deviations[1], fit.deviations[2]), from);
  out.fast_resistance_c_per_w = sourced_value(fast, fit.deviations[1], from);
  out.capacity_j_per_c = sourced_value(constant_s / slow, constant_s / slow * fit.deviations[2] / slow, from);
  return out;
}

std::vector<double> predicted_temperatures(const ThermalParameters& p, const std::vector<double>& t_s,
                                           const std::vector<double>& power_w) {
  const double slow = p.resistance_c_per_w.value - p.fast_resistance_c_per_w.value;
  std::vector<double> out = followed(t_s, power_w, p.capacity_j_per_c.value * slow);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = p.inlet_c.value + p.fast_resistance_c_per_w.value * power_w[i] + slow * out[i];
  return out;
}

}  // namespace clusterwright
