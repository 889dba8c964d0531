// SPDX-License-Identifier: Apache-2.0
/// Predictions in sentences and as one HTML page.
#pragma once

#include <string>
#include <vector>

#include "models/prediction/prediction.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// Sentences on a curve: the knee, and sizes that do not fit.
std::vector<std::string> verdict_sentences(const ScaleCurve& curve);

/// Sentences on one step: whether it fits, its time and the interval of the time.
std::vector<std::string> verdict_sentences(const StepPrediction& step);

/// First change to try, in a few words.
std::string next_step(const ScaleCurve& curve);
std::string next_step(const StepPrediction& step);

/// One self-contained page: verdict, charts, tables, assumptions and inputs. No script, no request, everything escaped.
/// A curve of `run` has one point and gets no efficiency chart.
/// @param more  a further table with a section of its own; without rows: none
std::string html_report(const ResultContext& context, const ScaleCurve& curve, const ResultTable& more = {});

}  // namespace clusterwright
