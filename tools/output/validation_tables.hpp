// SPDX-License-Identifier: Apache-2.0
/// Answer of `validate` as tables, in reading order.
#pragma once

#include <vector>

#include "calibration/validation/layout_ranking.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_table.hpp"
#include "tools/output/validation_report.hpp"

namespace clusterwright {

/// Summary, families and every group; figures are null where there is no group.
JsonValue layout_ranking_json(const LayoutRanking& ranking);

/// A line for each family, for all, and for groups with unscored steps; empty without any group.
ResultTable layout_ranking_table(const LayoutRanking& ranking);

/// Groups of scored steps with the largest regrets, at most `top`.
ResultTable layout_regret_table(const LayoutRanking& ranking, std::size_t top);

/// A line for each family, then all cases, then the mean of the families.
ResultTable family_table(const ValidationReport& report);

/// Training steps by what was published, precision and accelerator.
ResultTable training_table(const ValidationReport& report);

/// Ratios between two cluster sizes of one job.
ResultTable scaling_table(const ValidationReport& report);

/// Beside one fitted rate per accelerator and precision.
ResultTable baseline_table(const ValidationReport& report);

/// @pre report.cross
ResultTable cross_table(const ValidationReport& report);

/// Scored cases with the largest errors, at most `top`, with where the time of a training step goes.
ResultTable worst_table(const ValidationReport& report, std::size_t top);

/// Reasons why scored cases have no prediction, the most frequent first, at most `top`.
ResultTable missing_table(const ValidationReport& report, std::size_t top);

/// One line for each point.
ResultTable case_table(const ValidationReport& report);

/// Every table that has lines but that of single cases, in reading order.
std::vector<ResultTable> validation_tables(const ValidationReport& report);

/// Scored cases with a valid prediction.
long predicted_cases(const ValidationReport& report);

/// "517 fitted parameters predict 1,386 scored cases."
std::string parameters_sentence(const ValidationReport& report);

}  // namespace clusterwright
