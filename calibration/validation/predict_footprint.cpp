// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/predict_footprint.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "calibration/fit/peak_fit.hpp"
#include "models/memory/memory_use.hpp"
#include "models/plan/plan.hpp"
#include "models/search/choose_plan.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

/// Items of a footprint, and their words in the measurement set.
enum : std::ptrdiff_t { weights_and_states, activations, whole };
constexpr std::array<std::string_view, 3> items = {"weights-gradients-optimizer", "activations", "total"};

/// Half-widths as |log(predicted/measured)|. Parts follow from counting.
constexpr double half_width_of_part = 0.04;

/// Measurement with a batch that fills the pipeline, where none is published.
Measurement with_batch(Measurement measurement) {
  MeasuredJob& job = measurement.step->job;
  if (!job.global_batch)
    job.global_batch = 4 * job.pipeline.value_or(1) * job.micro_batch.value_or(1) * job.data.value_or(1);
  return measurement;
}

double ratio(const Scenario& s, const Plan& plan, const StageLayout& layout) {
  Plan plain = plan;
  plain.sequence_parallel = false;
  plain.recompute = Recompute::none;
  return layer_activations(planned_job(s.transformer, s.job, s.stack, plan, layout)) /
         layer_activations(planned_job(s.transformer, s.job, s.stack, plain, layout));
}

PredictedValues with_range(const MemoryUse& use, const ChosenPlan& chosen) {
  const MemoryRange range = memory_range(use, memory_residual(chosen.scenario.steps, chosen.scenario.stack));
  return {{use.total().in(gigabyte)}, {range.low.in(gigabyte)}, {range.high.in(gigabyte)}};
}

Prediction item_of(const MeasuredFootprint& footprint, const ChosenPlan& chosen) {
  const Scenario& s = chosen.scenario;
  const StageLayout layout = stage_layout(s.transformer.layers, chosen.plan);
  const PlannedJob c = planned_job(s.transformer, s.job, s.stack, chosen.plan, layout);
  const auto item = std::find(items.begin(), items.end(), footprint.item) - items.begin();
  double value = 0;
  if (item == weights_and_states) {
    const MemoryUse use = memory_of_stage(c, chosen.plan.pipeline / 2);
    value = (use.weights + use.gradients + use.optimizer).in(gigabyte);
  } else if (item == activations) {
    value = footprint.relative ? ratio(s, chosen.plan, layout) : memory_of_stage(c, 0).activations.in(gigabyte);
  } else if (item == whole) {
    return with_range(chosen.memory, chosen);
  } else {
    return "no model of the item " + footprint.item;
  }
  PredictedValues values;
  add_value(value, half_width_of_part, values);
  return values;
}

std::variant<ChosenPlan, std::string> plan_of(const Measurement& measurement, const ScenarioShelf& shelf) {
  const auto scenario = measured_scenario(measurement, shelf);
  if (const auto* why = std::get_if<std::string>(&scenario)) return *why;
  try {
    return choose_plan(std::get<Scenario>(scenario));
  } catch (const ConfigError& error) {
    return error.diagnostics().front().message;
  }
}

}  // namespace

Prediction predict_footprint(const Measurement& measurement, const ScenarioShelf& shelf) {
  if (!measurement.footprint || !measurement.step) return "no footprint";
  const auto chosen = plan_of(with_batch(measurement), shelf);
  if (const auto* why = std::get_if<std::string>(&chosen)) return *why;
  return item_of(*measurement.footprint, std::get<ChosenPlan>(chosen));
}

Prediction predict_peak_memory(const Measurement& measurement, const ScenarioShelf& shelf) {
  if (!measurement.step) return "no training step";
  const auto chosen = plan_of(measurement, shelf);
  if (const auto* why = std::get_if<std::string>(&chosen)) return *why;
  const ChosenPlan& found = std::get<ChosenPlan>(chosen);
  return with_range(reported_memory(found, *measurement.step), found);
}

}  // namespace clusterwright
