// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include "models/job/job_blocks.hpp"
#include "models/job/scenario.hpp"
#include "models/plan/mixed_nodes.hpp"
#include "models/prediction/efficiency_reasons.hpp"
#include "models/prediction/predict_scale.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "models/prediction/ratio_error.hpp"
#include "models/prediction/step_laws.hpp"
#include "sim/interval.hpp"
#include "sim/parallel_points.hpp"
#include "sim/plain_number.hpp"

namespace clusterwright {

namespace {

constexpr double worthwhile_doubling = 1.8;

/// Sequences of a step at which the job's limit on tokens stops a growing batch: all replicas have equally many.
/// Infinite without a limit.
double most_sequences(const Scenario& scenario, int accelerators) {
  const Job& job = scenario.job;
  if (!job.max_global_batch_tokens) return std::numeric_limits<double>::infinity();
  const std::int64_t most = *job.max_global_batch_tokens / job.sequence;
  const ParallelSpec& parallel = job.parallel;
  const std::int64_t ranks =
      std::int64_t{parallel.tensor.value_or(1)} * parallel.pipeline.value_or(1) * parallel.context.value_or(1);
  const std::int64_t together = std::max<std::int64_t>(1, accelerators / ranks * job.micro_batch.value_or(1));
  return static_cast<double>(most >= together ? most - most % together : most);
}

/// Batch of a weak curve. A job whose own batch is beyond its limit keeps it, and is refused.
int weak_batch(const Scenario& scenario, int accelerators) {
  const double own = scenario.job.global_batch;
  const double grown = std::round(own * accelerators / static_cast<double>(scenario.cluster.spec.accelerators));
  const double batch = std::min(grown, std::max(own, most_sequences(scenario, accelerators)));
  return static_cast<int>(std::clamp(batch, 1.0, 1.0 * std::numeric_limits<int>::max()));
}

/// What the batch of a weak curve asks of the training: a limit that was met, or that no limit is known.
void warn_of_batch(const Scenario& scenario, ScaleCurve& curve) {
  const auto tokens = [&](double batch) { return plain_number(batch * scenario.job.sequence / 1e6, 3); };
  const double own = scenario.job.global_batch, size = scenario.cluster.spec.accelerators;
  int largest = 0, first_held = std::numeric_limits<int>::max();
  for (const ScalePoint& point : curve.points) {
    if (!point.reason.empty()) continue;
    const int accelerators = point.step.accelerators;
    largest = std::max(largest, accelerators);
    if (weak_batch(scenario, accelerators) < std::round(own * accelerators / size))
      first_held = std::min(first_held, accelerators);
  }
  if (first_held <= largest)
    curve.warnings.push_back(fmt::format(
        "from {} accelerators on the global batch is held at {} million tokens or less (job.max_global_batch_tokens)",
        first_held, plain_number(static_cast<double>(*scenario.job.max_global_batch_tokens) / 1e6, 3)));
  else if (largest > size && !scenario.job.max_global_batch_tokens)
    curve.warnings.push_back(fmt::format(
        "the global batch grows to {} million tokens at {} accelerators; how many still speed up the training is not "
        "known (job.max_global_batch_tokens): published runs used 2 to 128 million",
        tokens(weak_batch(scenario, largest)), largest));
}

/// Points in the order in which threads begin them: those with most micro-batches in a replica take longest.
std::vector<std::size_t> longest_first(const Scenario& scenario, const std::vector<int>& accelerators, bool strong) {
  std::vector<std::size_t> order(accelerators.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (strong && scenario.job.global_batch > 0)
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return accelerators[a] < accelerators[b]; });
  return order;
}

/// Sizes that can be compared, in order of accelerators.
std::vector<ScalePoint*> feasible(std::vector<ScalePoint>& points) {
  std::vector<ScalePoint*> out;
  for (ScalePoint& point : points)
    if (point.reason.empty() && point.step.fits) out.push_back(&point);
  std::stable_sort(out.begin(), out.end(), [](const ScalePoint* a, const ScalePoint* b) {
    return a->step.accelerators < b->step.accelerators;
  });
  return out;
}

/// d ln(tokens/s) / d ln(accelerators) between two sizes.
double slope_between(const ScalePoint& small, const ScalePoint& large) {
  return std::log(large.step.tokens_per_second / small.step.tokens_per_second) /
         std::log(static_cast<double>(large.step.accelerators) / small.step.accelerators);
}

/// Walks up the sizes while the slope between neighbours stays at ln 1.8 / ln 2 = 0.848 or above.
void find_knee(ScaleCurve& curve) {
  const std::vector<ScalePoint*> points = feasible(curve.points);
  const double enough = std::log2(worthwhile_doubling);
  curve.knee.reset();
  std::size_t compared = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i]->step.accelerators == points[i - 1]->step.accelerators) continue;
    if (slope_between(*points[i - 1], *points[i]) < enough) {
      curve.knee_place = compared > 0 ? KneePlace::inside : KneePlace::before;
      if (compared > 0) curve.knee = points[i - 1]->step.accelerators;
      return;
    }
    ++compared;
  }
  curve.knee_place = compared > 0 ? KneePlace::beyond : KneePlace::unknown;
}

/// Drops the points that were not begun when the computation was asked to stop.
void keep_begun(ScaleCurve& curve, std::vector<std::optional<ConfigError>>& errors, const std::vector<char>& begun) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < begun.size(); ++i) {
    if (!begun[i]) continue;
    if (kept != i) curve.points[kept] = std::move(curve.points[i]), errors[kept] = std::move(errors[i]);
    ++kept;
  }
  curve.interrupted = kept < begun.size();
  curve.points.resize(kept);
  errors.resize(kept);
}

void compare_with_first(std::vector<ScalePoint>& points, const StepCalibration& calibration) {
  const ScalePoint* first = nullptr;
  for (ScalePoint& point : points) {
    if (!point.reason.empty() || !point.step.fits) continue;
    if (!first) first = &point;
    point.speedup = point.step.tokens_per_second / first->step.tokens_per_second;
    point.efficiency = point.step.tokens_per_second_per_accelerator() / first->step.tokens_per_second_per_accelerator();
    const RatioError error =
        &point == first ? RatioError{} : ratio_error(point.step.uncertainty, first->step.uncertainty, calibration);
    const Interval<double> efficiency = interval_around(std::log(point.efficiency), error);
    point.efficiency_low = efficiency.low;
    point.efficiency_high = efficiency.high;
  }
}

}  // namespace

Scenario scenario_at_size(const Scenario& scenario, int accelerators, bool strong) {
  Scenario sized = scenario;
  sized.cluster = cluster_of_size(scenario, accelerators);
  sized.job.parallel.data.reset();
  if (!strong) sized.job.global_batch = weak_batch(scenario, accelerators);
  return sized;
}

ScaleCurve predict_scale(const Scenario& scenario, const std::vector<int>& accelerators, bool strong,
                         const std::function<void(std::size_t)>& done, const std::function<bool()>& stop) {
  return predict_scale(scenario, accelerators, strong, done, stop,
                       [](const Scenario& sized) { return predict_step(sized); });
}

ScaleCurve predict_scale(const Scenario& scenario, const std::vector<int>& accelerators, bool strong,
                         const std::function<void(std::size_t)>& done, const std::function<bool()>& stop,
                         const std::function<StepPrediction(const Scenario&)>& predict) {
  refuse_several_kinds(scenario, "a curve over sizes");
  ScaleCurve curve;
  curve.strong = strong;
  curve.points.resize(accelerators.size());
  std::vector<std::optional<ConfigError>> errors(accelerators.size());
  std::vector<char> begun(accelerators.size());
  std::mutex progress;
  std::size_t finished = 0;
  for_each_point(longest_first(scenario, accelerators, strong), [&](std::size_t i) {
    if (stop && stop()) return;
    begun[i] = 1;
    ScalePoint& point = curve.points[i];
    point.step.accelerators = accelerators[i];
    try {
      point.step = predict(scenario_at_size(scenario, accelerators[i], strong));
    } catch (const ConfigError& error) {
      point.reason = error.diagnostics().front().message;
      errors[i] = error;
    }
    const std::lock_guard lock(progress);
    if (done) done(++finished);
  });
  keep_begun(curve, errors, begun);
  // Nothing worked: the scenario itself is wrong, and its error says where.
  const bool all_failed =
      std::all_of(errors.begin(), errors.end(), [](const auto& error) { return error.has_value(); });
  if (all_failed && !errors.empty()) throw *errors.front();
  if (!strong) warn_of_batch(scenario, curve);
  compare_with_first(curve.points, scenario.steps);
  explain_efficiencies(curve);
  find_knee(curve);
  check_laws(curve);
  return curve;
}

}  // namespace clusterwright
