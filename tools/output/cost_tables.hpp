// SPDX-License-Identifier: Apache-2.0
/// Tables of the cost of a sized cluster.
#pragma once

#include <string>

#include "models/site/sizing/sized_cluster.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// Cost to buy, by chapter, without chapters that cost nothing.
ResultTable capex_table(const CostReport& cost);
/// Cost of one year.
ResultTable opex_table(const CostReport& cost);
/// Cost of one accelerator for one hour.
ResultTable per_hour_table(const CostReport& cost);
/// Assumptions, cost of tokens, and rent against buying.
ResultTable cost_terms_table(const CostReport& cost);

/// Purchasing list, a line per part, use and length; the plan's bill where nothing has a price.
ResultTable purchasing_list(const SizedCluster& sized);

}  // namespace clusterwright
