// SPDX-License-Identifier: Apache-2.0
/// Training runs of jobs that have an end, as tables, sentences and JSON.
#pragma once

#include <string>

#include "models/prediction/prediction.hpp"
#include "models/site/sizing/sized_cluster.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// Steps, time, accelerator-hours, energy and rent, one per line. @pre step.training
ResultTable training_run_table(const StepPrediction& step);

/// The same for the computed sizes of a curve, a line each; no rows if the job states no end.
ResultTable training_runs_by_size(const ScaleCurve& curve);

/// The run with its paid hours, the energy of the whole site and its cost; no rows if the job states no end.
ResultTable priced_run_table(const SizedCluster& sized);

/// "The training run takes 69.9 days (90 %: 53.4 to 91.5 days), 27.5 M GPU-hours, without failures and restarts."
/// @pre step.training
std::string training_run_sentence(const StepPrediction& step);

/// Price and goodput in the rent of the runs of a curve, or where dollars come from; empty if the job states no end.
std::string run_price_sentence(const ScaleCurve& curve);

/// "at 85 % use", "at 85 % use and 90 % goodput": shares inside the price of an hour, and of tokens and runs.
std::string use_text(const CostReport& cost);
std::string use_and_goodput_text(const CostReport& cost);

/// Null if the job states no end.
JsonValue training_run_json(const StepPrediction& step);
JsonValue priced_run_json(const SizedCluster& sized);

}  // namespace clusterwright
