/// Predicted against measured, of one case.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/prediction/prediction.hpp"

namespace clusterwright {

enum class CaseStatus { ok, unsupported, infeasible, error };

/// What a training step says beside its rate.
struct StepDetail {
  Seconds step_time;
  Bytes peak_memory;  ///< of the fullest rank, as the framework reports it
  std::optional<Bytes> measured_peak;
  bool fits = true;
  std::array<double, step_charge_count> shares{};  ///< of the step, by StepCharge
  double model_flops_per_token = 0;                ///< 6 x parameters + causal-half attention
};

/// One case; numbers are in the unit of the case's score field, one entry for each point.
struct CaseResult {
  std::string id, family, kind, accelerator;
  std::string precision;  ///< of training steps; empty: another kind, or not published
  bool scored = true;
  CaseStatus status = CaseStatus::ok;
  std::string reason;
  std::string unit;
  bool is_list = true;  ///< the kind has points; else one number
  std::vector<double> predicted, low, high;
  std::vector<double> measured;  ///< empty: not published
  std::optional<bool> known;     ///< of training steps: every field of the job is published
  std::optional<StepDetail> step;
};

/// Everything of a result that is there without a model: names, unit, what was measured.
CaseResult blank_result(const Measurement& measurement);

/// The job fields that the simulator has to choose: neither published nor filled in by those who collected the case.
std::vector<std::string> fields_to_choose(const Measurement& measurement);

/// Status ok, and as many positive finite predictions as measured values.
bool is_valid(const CaseResult& result);

/// log(predicted / measured) of the first point of a valid result.
double log_error(const CaseResult& result);

}  // namespace clusterwright
