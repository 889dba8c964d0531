// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/validate_case.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include "calibration/fit/collective_fit.hpp"
#include "calibration/measured/measured_cluster.hpp"
#include "calibration/measured/measured_group.hpp"
#include "calibration/validation/predict_footprint.hpp"
#include "calibration/validation/predict_kernels.hpp"
#include "calibration/validation/predict_power.hpp"
#include "models/job/job.hpp"
#include "models/job/scenario.hpp"
#include "models/kernels/collectives/predict_collective.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "topology/cluster/cluster_network.hpp"

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
void add_peak(Measurement measurement, const StepPrediction& step, const ScenarioShelf& shelf, StepDetail& detail) {
  detail.measured_peak = measurement.step->peak_memory;
  detail.peak_memory = step.memory.total();
  detail.peak_range = step.memory_range;
  MeasuredJob& job = measurement.step->job;
  job.micro_batch = step.plan.micro_batch;
  job.pipeline = step.plan.pipeline;
  job.recompute = word(step.plan.recompute);
  const Prediction peak = predict_peak_memory(measurement, shelf);
  const auto* values = std::get_if<PredictedValues>(&peak);
  if (!values) return;
  detail.peak_memory = values->predicted.front() * gigabyte;
  detail.peak_range = {values->low.front() * gigabyte, values->high.front() * gigabyte};
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
  detail.model_flops_per_token = training_flops_per_token(scenario.transformer, training_work(scenario.job)) / flop;
  detail.uncertainty = step.uncertainty;
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
    const StepPrediction step = predict_step(scenario, OpenFields::usual);
    const double fullness = step.memory.total() / memory_capacity(scenario.cluster.accelerator);
    if (fullness > far_beyond_memory)
      return without_prediction(result, CaseStatus::infeasible, "memory: " + step.verdict);
    result.reason = reason_of(measurement, step, scenario);
    fill(step, scenario, result);
    add_peak(measurement, step, shelf, *result.step);
  } catch (const ConfigError& error) {
    const Diagnostic& first = error.diagnostics().front();
    return without_prediction(result, contradicts(first.code) ? CaseStatus::infeasible : CaseStatus::unsupported,
                              first.message);
  }
  return result;
}

namespace {

CaseResult unsupported(CaseResult result, std::string reason) {
  result.status = CaseStatus::unsupported;
  result.reason = std::move(reason);
  return result;
}

std::optional<CollectiveOp> op_of(const MeasuredCollective& measured) {
  if (measured.op == "ep_dispatch") return CollectiveOp::dispatch;
  if (measured.op == "ep_combine") return CollectiveOp::combine;
  return nccl_op(measured.op);
}

void predict_points(const CollectivePredictor& predictor, const MeasuredCollective& measured, CaseResult& result) {
  for (const auto& point : measured.points) {
    const CollectiveAnswer answer = predictor.predict(point.size);
    result.predicted.push_back(answer.time.in(microsecond));
    result.low.push_back(answer.low.in(microsecond));
    result.high.push_back(answer.high.in(microsecond));
  }
}

}  // namespace

CaseResult validate_collective(const Measurement& measurement, const Catalog& catalog, const CollectiveSetOf& set_of) {
  CaseResult result = blank_result(measurement);
  if (!measurement.collective) return unsupported(result, "no model of this kind yet");
  const MeasuredCollective& measured = *measurement.collective;
  const std::optional<AcceleratorPart> part = measured_part(measurement.hardware, catalog.accelerators);
  if (!part) return unsupported(result, "neither the catalog nor a whole data sheet has the accelerator");
  const std::optional<CollectiveOp> op = op_of(measured);
  if (!op) return unsupported(result, "no model of " + measured.op);
  if (measured.points.empty()) return unsupported(result, "the case has no points");
  if (measured.ranks % measured.ranks_per_node != 0) return unsupported(result, "no model of unevenly filled nodes");
  const CollectiveSet& set = set_of(part->id);
  const MeasuredGroup group = measured_group(measurement.hardware, measured, catalog);
  CollectiveRequest request{*op, {group.members}, {}, measured.in_network_reduction.value_or(false)};
  if (between_experts(*op)) request.experts = measured_exchange(measured, measured_links(group, measured).shape);
  const RoutedNetwork* network = group.cluster.has_network() ? &group.cluster.network() : nullptr;
  predict_points(CollectivePredictor(group.cluster, set, network, request), measured, result);
  result.reason = "parameters " + set.name + (group.assumed.empty() ? "" : "; " + group.assumed);
  if (between_experts(*op))
    result.reason += fmt::format("; number of experts not published, took {}", request.experts.experts);
  return result;
}

namespace {

CaseResult filled(CaseResult result, Prediction prediction, const std::string& parameters) {
  if (auto* reason = std::get_if<std::string>(&prediction)) {
    result.status = CaseStatus::unsupported;
    result.reason = std::move(*reason);
    return result;
  }
  auto& values = std::get<PredictedValues>(prediction);
  result.predicted = std::move(values.predicted);
  result.low = std::move(values.low);
  result.high = std::move(values.high);
  result.reason = parameters;
  return result;
}

CaseResult validate_kind(const Measurement& m, const ValidationContext& context) {
  const ScenarioShelf& shelf = context.shelf;
  const ParameterSetOf set_of = [&](const std::string& accelerator) { return parameters_for(shelf, accelerator); };
  const auto& parts = shelf.catalog.accelerators;
  const ParameterSet* set = set_of(m.hardware.accelerator);
  const std::string parameters = set ? "parameters " + set->name : std::string();
  const auto result = [&](Prediction prediction) { return filled(blank_result(m), std::move(prediction), parameters); };
  switch (measurement_kind(m.kind)) {
    case MeasurementKind::training_step:
      return validate_step(m, shelf);
    case MeasurementKind::collective:
      if (!set) return result("no parameters for " + m.hardware.accelerator);
      return validate_collective(
          m, shelf.catalog, [&](const std::string&) -> auto& { return context.collectives.at(set->name); });
    case MeasurementKind::gemm:
      return result(predict_gemm(m, parts, set_of));
    case MeasurementKind::memory_bandwidth:
      return result(predict_memory(m, parts, set_of));
    case MeasurementKind::memory_footprint:
      return result(predict_footprint(m, shelf));
    case MeasurementKind::power:
      return result(predict_power(m, shelf));
    case MeasurementKind::attention:
      return result(predict_attention(m, parts, set_of));
    case MeasurementKind::other:
      break;
  }
  return result("no model of this kind yet");
}

bool all_positive(const std::vector<double>& values) {
  return !values.empty() &&
         std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v) && v > 0; });
}

bool is_whole(const CaseResult& result) {
  const std::size_t n = result.predicted.size();
  return result.low.size() == n && result.high.size() == n && all_positive(result.predicted) &&
         all_positive(result.low) && all_positive(result.high);
}

CaseResult failed(const Measurement& measurement, std::string reason) {
  CaseResult result = blank_result(measurement);
  result.status = CaseStatus::error;
  result.reason = std::move(reason);
  return result;
}

}  // namespace

ValidationContext validation_context(ScenarioShelf shelf) {
  ValidationContext context{std::move(shelf), {}};
  for (const ParameterSet& set : context.shelf.parameters) context.collectives[set.name] = collective_set(set);
  return context;
}

CaseResult validate_case(const Measurement& measurement, const ValidationContext& context) {
  try {
    CaseResult result = validate_kind(measurement, context);
    if (result.status != CaseStatus::ok || is_whole(result)) return result;
    return failed(measurement, "the model gave no positive finite number");
  } catch (const ConfigError& error) {
    return failed(measurement, error.diagnostics().front().message);
  } catch (const std::exception& error) {
    return failed(measurement, error.what());
  }
}

CaseResult validate_case(const ReadCase& read, const ValidationContext& context) {
  if (read.errors.empty()) {
    CaseResult result = validate_case(read.measurement, context);
    for (const Diagnostic& one : read.ignored)
      result.reason += (result.reason.empty() ? "" : "; ") + one.places.front().pointer + " is not known and ignored";
    return result;
  }
  std::string reason;
  for (const Diagnostic& error : read.errors)
    reason += (reason.empty() ? "" : "; ") + error.places.front().pointer + ": " + error.message;
  return failed(read.measurement, reason);
}

}  // namespace clusterwright
