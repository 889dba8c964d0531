// SPDX-License-Identifier: Apache-2.0
/// Predictions as tables and sentences: what terminals, Markdown, CSV and reports show.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/lowering/step_charge.hpp"
#include "models/plan/plan.hpp"
#include "models/prediction/prediction.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// "tensor-parallel communication".
std::string_view people_name(StepCharge charge);

/// "8x16x128": tensor x pipeline x data; with a fourth degree, context, before data where it is used.
std::string plan_text(const Plan& plan);

/// Heading of a column of plan_text(): "TPxPPxDP", with the degrees that only some plans have: "TPxPPxCPxDP EP".
std::string plan_heading(const std::vector<const Plan*>& plans);

/// Largest share of a step that is neither GEMM nor attention: "pipeline bubble 12 %".
std::string limited_by(const StepPrediction& step);

/// Reason why a plan does not fit: its verdict without the words "does not fit: ".
std::string misfit_reason(const StepPrediction& step);

/// One line per size: time, throughput, efficiency, memory, power, what limits it.
ResultTable scale_table(const ScaleCurve& curve, Bytes memory_capacity);

/// The answers of one step, one per line.
ResultTable headline_table(const StepPrediction& step, Bytes memory_capacity);

/// Seconds and share of the step by cause, without causes of zero time.
ResultTable breakdown_table(const StepPrediction& step);

/// Memory of the fullest rank by kind.
ResultTable memory_table(const StepPrediction& step, Bytes memory_capacity);

/// Memory of the job outside its accelerators; no rows without any.
ResultTable tier_table(const StepPrediction& step);

/// Memory by kind, a row for each computed size.
ResultTable memory_by_size(const ScaleCurve& curve);
ResultTable power_by_size(const ScaleCurve& curve);
ResultTable breakdown_by_size(const ScaleCurve& curve);

ResultTable assumptions_table(const std::vector<Assumption>& assumptions);
ResultTable inputs_table(const std::vector<InputFile>& inputs);

/// The last size that was computed and fits, or nullptr.
const ScalePoint* largest_fitting(const ScaleCurve& curve);

/// Breakdowns worth a column: the charges with time in any size.
std::vector<StepCharge> charges_in_use(const ScaleCurve& curve);

}  // namespace clusterwright
