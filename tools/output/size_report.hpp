/// A sized cluster in every format of the command `size`.
#pragma once

#include <string>

#include "models/site/sizing/sized_cluster.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/result_context.hpp"

namespace clusterwright {

/// For terminals: the answers, constraints that fail, networks, power, cooling, cost, a floor plan.
std::string size_text(const ResultContext& context, const SizedCluster& sized);

std::string size_markdown(const ResultContext& context, const SizedCluster& sized);

/// The purchasing list. Nothing else in it, so that a spreadsheet can sum its columns.
std::string size_csv(const SizedCluster& sized);

/// @param format  table, json, csv, markdown or html
std::string render_size(OutputFormat format, const ResultContext& context, const SizedCluster& sized);

/// One self-contained page: verdict, floor plan, power as flows, networks, cooling, money, purchasing list. No script,
/// no request, everything escaped.
std::string size_page(const ResultContext& context, const SizedCluster& sized);

}  // namespace clusterwright
