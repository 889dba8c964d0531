// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/validate_step.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "calibration/validation/predict_footprint.hpp"
#include "models/job/job.hpp"
#include "models/job/scenario.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

namespace {

/// Multiple of an accelerator's memory beyond which no error of the memory model explains that the job ran.
constexpr double far_beyond_memory = 2;

/// Whether a code is of a plan that contradicts itself; other codes are of missing models.
bool contradicts(const std::string& code) {
  return code == "E0310" || code == "E0311" || code == "E0312";
}

template <class E>
std::string word(E value) {
  return std::string(EnumNames<E>::names[static_cast<std::size_t>(value)]);
}

/// Value of a job field of the measurement set in the plan; empty where the plan has no such field.
std::string chosen(const std::string& field, const Plan& plan) {
  const std::array<std::pair<std::string_view, int>, 8> numbers = {{{"micro_batch", plan.micro_batch},
                                                                    {"tp", plan.tensor},
                                                                    {"pp", plan.pipeline},
                                                                    {"vpp", plan.virtual_pipeline},
                                                                    {"cp", plan.context},
                                                                    {"ep", plan.expert},
                                                                    {"dp", plan.data},
                                                                    {"shard_group", plan.shard_group}}};
  for (const auto& [name, value] : numbers)
    if (name == field) return std::to_string(value);
  if (field == "recompute") return word(plan.recompute);
  if (field == "sequence_parallel") return plan.sequence_parallel ? "on" : "off";
  if (field == "precision") return "bf16";
  if (field == "offload") return "none";
  return {};
}

std::string reason_of(const Measurement& measurement, const StepPrediction& step, const Scenario& scenario) {
  std::string reason;
  const auto add = [&](const std::string& more) { reason += (reason.empty() ? "" : "; ") + more; };
  for (const std::string& field : fields_to_choose(measurement))
    add(fmt::format("{} not published, chose {}", field, chosen(field, step.plan)));
  for (const std::string& path : measurement.unknown)
    if (path == "hardware.scale_out.gbit_per_s_per_accelerator")
      add(fmt::format("network rate not published, took {:g} Gbit/s",
                      scenario.cluster.nic_bandwidth.in(gigabit_per_second)));
  for (const std::string& path : measurement.unknown)
    if (path == "model.lora_rank") add(fmt::format("lora_rank not published, chose {}", scenario.job.lora_rank));
  if (!step.fits) add("memory: " + step.verdict);
  add(fmt::format("stack {}, parameters {}", scenario.stack.name, scenario.parameters.name));
  return reason;
}

/// Peak memory of the chosen plan as the framework reports it; the total where that cannot be told.
Bytes peak_memory(Measurement measurement, const StepPrediction& step, const ScenarioShelf& shelf) {
  MeasuredJob& job = measurement.step->job;
  job.micro_batch = step.plan.micro_batch;
  job.pipeline = step.plan.pipeline;
  job.recompute = word(step.plan.recompute);
  const Prediction peak = predict_peak_memory(measurement, shelf);
  const auto* values = std::get_if<PredictedValues>(&peak);
  return values ? values->predicted.front() * gigabyte : step.memory.total();
}

void fill(const StepPrediction& step, const Scenario& scenario, CaseResult& result) {
  const double rate = step.tokens_per_second_per_accelerator();
  result.predicted = {rate};
  result.low = {rate * (step.step_time / step.high)};
  result.high = {rate * (step.step_time / step.low)};
  StepDetail detail;
  detail.step_time = step.step_time;
  detail.fits = step.fits;
  for (std::size_t i = 0; i < step_charge_count; ++i) detail.shares[i] = step.breakdown[i] / step.step_time;
  detail.model_flops_per_token = training_flops_per_token(scenario.transformer, scenario.job.sequence) / flop;
  result.step = detail;
}

CaseResult without_prediction(CaseResult result, CaseStatus status, std::string reason) {
  result.status = status;
  result.reason = std::move(reason);
  return result;
}

}  // namespace

CaseResult validate_step(const Measurement& measurement, const ScenarioShelf& shelf) {
  CaseResult result = blank_result(measurement);
  const auto described = measured_scenario(measurement, shelf);
  if (const auto* reason = std::get_if<std::string>(&described))
    return without_prediction(result, CaseStatus::unsupported, *reason);
  const Scenario& scenario = std::get<Scenario>(described);
  try {
    const StepPrediction step = predict_step(scenario);
    const double fullness = step.memory.total() / memory_capacity(scenario.cluster.accelerator);
    if (fullness > far_beyond_memory)
      return without_prediction(result, CaseStatus::infeasible, "memory: " + step.verdict);
    result.reason = reason_of(measurement, step, scenario);
    fill(step, scenario, result);
    result.step->peak_memory = peak_memory(measurement, step, shelf);
    result.step->measured_peak = measurement.step->peak_memory;
  } catch (const ConfigError& error) {
    const Diagnostic& first = error.diagnostics().front();
    return without_prediction(result, contradicts(first.code) ? CaseStatus::infeasible : CaseStatus::unsupported,
                              first.message);
  }
  return result;
}

}  // namespace clusterwright
