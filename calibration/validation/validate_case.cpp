// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/validate_case.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "calibration/validation/predict_footprint.hpp"
#include "calibration/validation/predict_kernels.hpp"
#include "calibration/validation/predict_memory.hpp"
#include "calibration/validation/predict_power.hpp"
#include "calibration/validation/validate_collectives.hpp"
#include "calibration/validation/validate_step.hpp"

namespace clusterwright {

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
          m, parts, [&](const std::string&) -> auto& { return context.collectives.at(set->name); });
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
  if (read.errors.empty()) return validate_case(read.measurement, context);
  std::string reason;
  for (const Diagnostic& error : read.errors)
    reason += (reason.empty() ? "" : "; ") + error.places.front().pointer + ": " + error.message;
  return failed(read.measurement, reason);
}

}  // namespace clusterwright
