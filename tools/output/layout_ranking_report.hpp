// SPDX-License-Identifier: Apache-2.0
/// How layouts of one job are ranked, as JSON and as tables.
#pragma once

#include "calibration/validation/layout_ranking.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// Summary, families and every group; figures are null where there is no group.
JsonValue layout_ranking_json(const LayoutRanking& ranking);

/// A line for each family, for all, and for groups with unscored steps; empty without any group.
ResultTable layout_ranking_table(const LayoutRanking& ranking);

/// Groups of scored steps with the largest regrets, at most `top`.
ResultTable layout_regret_table(const LayoutRanking& ranking, std::size_t top);

}  // namespace clusterwright
