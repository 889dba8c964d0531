// SPDX-License-Identifier: Apache-2.0
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

/// Results of a training step beside its rate.
struct StepDetail {
  Seconds step_time;
  Bytes peak_memory;  ///< fullest rank, as the framework reports it
  MemoryRange peak_range;
  std::optional<Bytes> measured_peak;
  bool fits = true;
  std::array<double, step_charge_count> shares{};  ///< shares of the step, by StepCharge
  double model_flops_per_token = 0;                ///< 6 x parameters + causal-half attention
  StepUncertainty uncertainty;
};

/// One case; numbers are in the unit of its score field, one entry for each point.
struct CaseResult {
  std::string id, family, kind, accelerator;
  std::string precision;  ///< precision of a training step; empty: another kind, or not published
  bool scored = true;
  std::string cell;   ///< of rows that repeat one measured quantity; empty: a cell of its own
  double weight = 1;  ///< in figures: one over the scored rows of the cell (share_cells)
  CaseStatus status = CaseStatus::ok;
  std::string reason;
  std::string unit;
  bool is_list = true;  ///< a kind with points; else one number
  std::vector<double> predicted, low, high;
  std::vector<double> measured;  ///< empty: not published
  std::optional<bool> known;     ///< training steps: every field of the job is published
  std::optional<bool> mixture;   ///< training steps: of a mixture of experts
  std::optional<StepDetail> step;
};

/// Lets the scored rows of each cell share one weight.
void share_cells(std::vector<CaseResult>& results);

/// Result without a prediction: names, unit, measured values.
CaseResult blank_result(const Measurement& measurement);

/// Job fields that the simulator has to choose: neither published nor filled in by those who collected the case.
std::vector<std::string> fields_to_choose(const Measurement& measurement);

/// Whether the status is ok, with as many positive finite predictions as measured values.
bool is_valid(const CaseResult& result);

/// Error log(predicted / measured) of the first point of a valid result.
double log_error(const CaseResult& result);

}  // namespace clusterwright
