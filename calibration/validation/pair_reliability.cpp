// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/pair_reliability.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "calibration/validation/error_figures.hpp"
#include "models/prediction/ratio_error.hpp"
#include "sim/interval.hpp"

namespace clusterwright {

namespace {

constexpr std::array<double, 8> bin_edges = {0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1};

/// Prediction of one step as its pairs see it.
struct PredictedRate {
  double log_rate = 0;
  const StepCalibration* calibration = nullptr;  ///< that its factors come from
};

JudgedPair judged(const StepPair& pair, const std::vector<CaseResult>& results, const PredictedRate& one,
                  const PredictedRate& other) {
  const CaseResult &a = results[pair.first], &b = results[pair.second];
  JudgedPair out{pair, one.log_rate - other.log_rate, std::log(a.measured.front() / b.measured.front()),
                 ratio_error(a.step->uncertainty, b.step->uncertainty, *one.calibration)};
  out.probability = probability_ahead(out.predicted, out.error);
  return out.probability < 0.5 ? out.turned() : out;
}

ReliabilityFigures figures_of(std::string name, const std::vector<JudgedPair>& pairs, auto belongs) {
  ReliabilityFigures out;
  out.name = std::move(name);
  double chance = 0;
  std::vector<Weighted> widths;
  for (const JudgedPair& one : pairs) {
    if (!belongs(one)) continue;
    const double p = one.probability, outcome = one.outcome();
    ++out.pairs;
    out.votes += one.pair.weight;
    const double share = one.pair.weight / out.votes;
    out.mean_probability += (p - out.mean_probability) * share;
    out.frequency += (outcome - out.frequency) * share;
    out.brier += ((p - outcome) * (p - outcome) - out.brier) * share;
    out.in_interval += ((one.in_interval() ? 1 : 0) - out.in_interval) * share;
    chance += (p * (1 - p) - chance) * share;
    widths.push_back({half_width_90 * (one.error.slower + one.error.faster) / 2, one.pair.weight});
  }
  out.brier_of_mean = out.frequency * (1 - out.frequency);
  out.chance = out.votes > 0 ? std::sqrt(chance / out.votes) : 0;
  out.median_half_width = weighted_quantile(widths, 0.5);
  return out;
}

}  // namespace

JudgedPair JudgedPair::turned() const {
  return {pair, -predicted, -measured, error.of_inverse(), 1 - probability};
}

bool JudgedPair::in_interval() const {
  const double beyond = measured - predicted;
  return -half_width_90 * error.slower <= beyond && beyond <= half_width_90 * error.faster;
}

std::vector<JudgedPair> judged_pairs(const std::vector<StepPair>& pairs, const std::vector<CaseResult>& results,
                                     const StepCalibration& steps) {
  return judged_pairs(pairs, results, steps, {});
}

std::vector<JudgedPair> judged_pairs(const std::vector<StepPair>& pairs, const std::vector<CaseResult>& results,
                                     const StepCalibration& steps, const SplitErrors& split) {
  std::map<std::size_t, PredictedRate> held_out;
  for (std::size_t i = 0; i < split.errors.size(); ++i) {
    const auto& [index, error] = split.errors[i];
    const auto without = split.calibrations.find(split.held_out.at(i));
    held_out[index] = {std::log(results[index].measured.front()) + error,
                       without == split.calibrations.end() ? &steps : &without->second};
  }
  const auto rate = [&](std::size_t step) {
    const auto found = held_out.find(step);
    return found == held_out.end() ? PredictedRate{std::log(results[step].predicted.front()), &steps} : found->second;
  };
  std::vector<JudgedPair> out;
  for (const StepPair& pair : pairs) out.push_back(judged(pair, results, rate(pair.first), rate(pair.second)));
  return out;
}

PairReliability pair_reliability(const std::vector<JudgedPair>& pairs) {
  PairReliability out;
  for (std::size_t i = 0; i + 1 < bin_edges.size(); ++i) {
    const double low = bin_edges[i], high = bin_edges[i + 1];
    const bool last = i + 2 == bin_edges.size();
    out.bins.push_back(
        figures_of(fmt::format("{:g} to {:g} %", 100 * low, 100 * high), pairs,
                   [&](const JudgedPair& one) { return one.probability >= low && (last || one.probability < high); }));
  }
  for (std::size_t axis = 0; axis < pair_axis_names.size(); ++axis) {
    ReliabilityFigures figures = figures_of(pair_axis_names[axis], pairs, [&](const JudgedPair& one) {
      return static_cast<std::size_t>(one.pair.axis) == axis;
    });
    if (figures.pairs > 0) out.axes.push_back(std::move(figures));
  }
  out.all = figures_of("all", pairs, [](const JudgedPair&) { return true; });
  return out;
}

}  // namespace clusterwright
