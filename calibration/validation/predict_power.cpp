// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/predict_power.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "models/search/choose_plan.hpp"
#include "models/site/plant/devices.hpp"
#include "sim/diagnostic.hpp"
#include "topology/nodes/node_parts.hpp"

namespace clusterwright {

namespace {

constexpr double half_width = 0.15;         // |log(predicted/measured)|: host, cooling and layout are all assumed
constexpr double supply_efficiency = 0.96;  // Titanium rating
/// Loading and connecting before the first step: host at half its loaded power, accelerators idle.
constexpr Seconds start_up = 30 * second;
constexpr double idle_host_share = 0.5;

/// Workload of a benchmark: sequence length, batch, and number of sequences until it ends.
struct Workload {
  std::string_view task;
  std::int64_t sequence = 0;
  std::int64_t smallest_batch = 0;
  int accelerators_per_sequence = 0;  ///< accelerators that share one sequence beyond the smallest batch
  double sequences = 0;
};
constexpr Workload fine_tuning = {"lora", 8192, 8, 8, 3000};
constexpr Workload pre_training = {"pretrain", 2048, 2048, 1, 600000};

std::optional<Workload> workload_of(const std::string& name) {
  if (name == "lora-finetune") return fine_tuning;
  if (name == "pretrain") return pre_training;
  return {};
}

MeasuredStep step_of(const Workload& workload, const MeasuredModel& model, int accelerators, int tensor, int context) {
  MeasuredStep step;
  step.model = model;
  step.model.sequence = model.sequence.value_or(workload.sequence);
  const bool adapters = workload.task == "lora";
  if (adapters) step.model.trainable = "lora";
  step.job.task = std::string(workload.task);
  step.job.framework = "nemo";
  step.job.precision = "fp8-tensor";
  step.job.sharding = "zero1";
  step.job.packed_sequences = adapters;
  step.job.global_batch =
      std::max<std::int64_t>(workload.smallest_batch, accelerators / workload.accelerators_per_sequence);
  step.job.micro_batch = 1;
  step.job.tensor = tensor;
  step.job.context = context;
  return step;
}

/// First node of the catalog with these accelerators; null without one.
const NodePart* node_part(const Catalog& catalog, const MeasuredHardware& hardware) {
  for (const NodePart& part : catalog.nodes)
    if (part.accelerator_id == hardware.accelerator && part.accelerator_count &&
        part.accelerator_count->value == hardware.accelerators_per_node)
      return &part;
  return nullptr;
}

/// Cooling part for the words of publications; null for air.
const RackCoolingPart* rack_cooling(const Catalog& catalog, const std::string& words) {
  if (words == "immersion") return find_part(catalog.rack_cooling, "single-phase immersion");
  return words == "water" ? find_part(catalog.rack_cooling, "direct-to-chip") : nullptr;
}

/// Power of a loaded node without its accelerators, at the input of its power supplies; without the fans that liquid
/// cooling removes.
Watts host_of(const NodePart& part, const AcceleratorPart& accelerator, const std::string& cooling,
              const Catalog& catalog) {
  const Watts host = host_power(part, &accelerator).value;
  const RackCoolingPart* liquid = rack_cooling(catalog, cooling);
  if (!liquid) return host;
  const Watts whole = host + part.accelerator_count->value * accelerator.power.value;
  return std::max(Watts{}, host - fan_saving(part, *liquid, catalog) * whole);
}

/// Layouts that fit, with powers of two of tensor and context parallelism inside a node. Layouts that recompute more
/// than others are slower and skipped.
std::vector<Scenario> layouts(Measurement measurement, const Workload& workload, Watts host,
                              const ScenarioShelf& shelf) {
  std::vector<Scenario> out;
  Recompute least = Recompute::full;
  const int node = measurement.hardware.accelerators_per_node;
  for (int tensor = 1; tensor <= node; tensor *= 2)
    for (int context = 1; tensor * context <= node; context *= 2) {
      measurement.step =
          step_of(workload, *measurement.power->model, measurement.hardware.accelerators, tensor, context);
      auto built = measured_scenario(measurement, shelf);
      auto* scenario = std::get_if<Scenario>(&built);
      if (!scenario) return {};
      scenario->cluster.spec.node.host_power.value = host;
      try {
        const ChosenPlan chosen = choose_plan(*scenario);
        const Recompute recompute = chosen.plan.recompute;
        if (chosen.memory.total() > memory_capacity(scenario->cluster.accelerator) || recompute > least) continue;
        if (recompute < least) out.clear();
        least = recompute;
        out.push_back(chosen.scenario);
        out.back().job.recompute = recompute;
      } catch (const ConfigError&) {
        // This layout contradicts itself; others may not.
      }
    }
  return out;
}

std::optional<StepPrediction> fastest(const std::vector<Scenario>& scenarios) {
  std::optional<StepPrediction> best;
  for (const Scenario& scenario : scenarios) {
    StepPrediction step = predict_step(scenario, OpenFields::usual);
    if (!best || step.step_time < best->step_time) best = std::move(step);
  }
  return best;
}

}  // namespace

Prediction predict_power(const Measurement& measurement, const ScenarioShelf& shelf) {
  if (!measurement.power) return "no power";
  const auto workload = workload_of(measurement.power->workload);
  if (!workload || !measurement.power->model) return "no model of the workload";
  const MeasuredHardware& hardware = measurement.hardware;
  const AcceleratorPart* accelerator = find_part(shelf.catalog.accelerators, hardware.accelerator);
  const NodePart* part = node_part(shelf.catalog, hardware);
  if (!accelerator || !part) return "the catalog has no such node";
  const Watts host = host_of(*part, *accelerator, measurement.power->cooling, shelf.catalog);
  const auto step = fastest(layouts(measurement, *workload, host, shelf));
  if (!step) return "no layout fits";
  const double nodes = static_cast<double>(hardware.accelerators) / hardware.accelerators_per_node;
  const Seconds run = workload->sequences / step->plan.global_batch * step->step_time;
  const Watts chips =
      accelerator->idle_power ? hardware.accelerators_per_node * accelerator->idle_power->value : Watts{};
  const Watts waiting = idle_host_share * host + chips;
  const double started = start_up / (run + start_up);
  const Watts mean = (1 - started) * (step->power.nodes_mean / nodes) + started * waiting;
  PredictedValues values;
  // The length of a start is uncertain, and so are windows that are not much longer.
  add_value((measurement.power->measured_at == "dc" ? supply_efficiency * mean : mean).in(watt), half_width + started,
            values);
  return values;
}

}  // namespace clusterwright
