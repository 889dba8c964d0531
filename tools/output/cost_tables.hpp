/// What a sized cluster costs, as tables.
#pragma once

#include <string>

#include "models/site/sizing/sized_cluster.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// By chapter; chapters that cost nothing are left out.
ResultTable capex_table(const CostReport& cost);
/// Of one year.
ResultTable opex_table(const CostReport& cost);
/// Of one accelerator and hour.
ResultTable per_hour_table(const CostReport& cost);
/// Assumptions behind the hour, tokens, and rent against buying.
ResultTable cost_terms_table(const CostReport& cost);

/// What has to be bought, a line per part, use and length; the plan's bill where nothing was priced.
ResultTable purchasing_list(const SizedCluster& sized);

}  // namespace clusterwright
