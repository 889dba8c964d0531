// SPDX-License-Identifier: Apache-2.0
/// Costs of failed parts, for people and for machines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/prediction/blast_radius.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// Costs of failures beside the step that they were compared with.
struct FailureCosts {
  const StepPrediction& before;
  int sequence = 0;  ///< tokens of one sequence
  std::vector<FailureCost> costs;
};

/// One row for each failure, and one more for each way on of a job that stops.
ResultTable blast_table(const FailureCosts& blast);

/// List of failures with their ways on; null without any.
JsonValue blast_json(const std::optional<FailureCosts>& blast);

/// "gpu:3: 1 GPU is dead: the job stops", for verdicts.
std::string stop_sentence(const FailureCost& cost);

}  // namespace clusterwright
