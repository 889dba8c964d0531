/// Predicted against measured: of one case, of a group of cases, of all.
#pragma once

#include <array>
#include <functional>
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

/// Errors are log(predicted / measured). A case weighs 1, its points share that equally.
struct ErrorFigures {
  std::string name;
  int n = 0;            ///< scored cases
  double coverage = 0;  ///< share of them with a valid prediction
  double median_abs_log = 0;
  double p90_abs_log = 0;
  double bias = 0;               ///< weighted median of the error
  double within_10_percent = 0;  ///< share
  double in_interval = 0;        ///< share of measured values inside low to high
  double median_half_width = 0;  ///< of the interval, as a log
};

/// Over the scored cases of `results`; all zero without any.
ErrorFigures error_figures(const std::string& name, const std::vector<CaseResult>& results);

/// One for each name that `group` gives, in the order of first appearance; an empty name is left out.
std::vector<ErrorFigures> grouped_figures(const std::vector<CaseResult>& results,
                                          const std::function<std::string(const CaseResult&)>& group);

/// One for each family, in the order of first appearance.
std::vector<ErrorFigures> family_figures(const std::vector<CaseResult>& results);

/// Every figure averaged over the groups that have a valid prediction, so that big groups do not drown small ones; n is
/// their number.
ErrorFigures mean_of_groups(const std::string& name, const std::vector<ErrorFigures>& groups);

}  // namespace clusterwright
