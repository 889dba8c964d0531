// SPDX-License-Identifier: Apache-2.0
/// Predictions for scripts: JSON, and the same keys as one flat table. Units are named by the key; null: not modelled.
#pragma once

#include "models/prediction/prediction.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// The keys of `run` for one prediction.
JsonValue step_to_json(const StepPrediction& step);

/// The keys of one point of `scale`. An impossible size keeps every key, null where there is no number.
JsonValue point_to_json(const ScalePoint& point);

/// The whole documents, with `schema_version`, tool, seed, inputs and scenario.
JsonValue run_to_json(const ResultContext& context, const StepPrediction& step);
JsonValue scale_to_json(const ResultContext& context, const ScaleCurve& curve);

/// Every number of every size on one line, for spreadsheets; columns are the keys of the JSON result.
ResultTable flat_table(const ScaleCurve& curve);

/// Null for an empty text.
inline JsonValue text_or_null(const std::string& text) {
  return text.empty() ? JsonValue() : JsonValue(text);
}

}  // namespace clusterwright
