// SPDX-License-Identifier: Apache-2.0
/// Cost of a sized cluster as tables, charts and text.
#pragma once

#include <string>

#include "models/site/sizing/sized_cluster.hpp"
#include "tools/output/result_table.hpp"
#include "tools/output/size_charts.hpp"

namespace clusterwright {

/// Cost to buy, by chapter, without chapters that cost nothing.
ResultTable capex_table(const CostReport& cost);
/// Cost of one year.
ResultTable opex_table(const CostReport& cost);
/// Cost of one accelerator for one hour.
ResultTable per_hour_table(const CostReport& cost);
/// Cost of tokens, and rent against buying.
ResultTable cost_terms_table(const CostReport& cost);

/// Purchasing list, a line per part, use and length; the plan's bill where nothing has a price.
ResultTable purchasing_list(const SizedCluster& sized);

/// Assumptions behind the sums, with their sources.
ResultTable cost_assumptions_table(const CostReport& cost);

/// A sum with its range: "$43.2 M ($39 M to $51 M)"; "at least $43.2 M" and so on where parts have no price.
std::string sum_text(const CostReport& cost, Dollars typical, Dollars low, Dollars high);
std::string capex_text(const CostReport& cost);
std::string opex_text(const CostReport& cost);
std::string hour_text(const CostReport& cost);
/// @pre cost.usd_per_million_tokens
std::string tokens_text(const CostReport& cost);
/// "4,900 t CO2e a year (310 to 7,270), 0.55 kg per GPU-hour; electricity only". @pre cost.carbon
std::string carbon_text(const CostReport& cost);
/// What the ranges mean, and which share of the sum has none.
std::string range_words(const CostReport& cost);

/// Chapters of the cost to buy as bars, largest first.
AmountChart capex_chart(const CostReport& cost);

/// Cost of one accelerator for an hour as stacked steps, beside its rent.
AmountChart hour_chart(const CostReport& cost);

}  // namespace clusterwright
