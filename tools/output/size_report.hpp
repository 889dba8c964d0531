// SPDX-License-Identifier: Apache-2.0
/// Report of a sized cluster in every format of the command `size`.
#pragma once

#include <string>
#include <vector>

#include "models/site/sizing/sized_cluster.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/result_context.hpp"

namespace clusterwright {

/// "1,016 x H100-SXM in 38 racks".
std::string size_title(const SizedCluster& sized);

/// Sentences on the constraints, on the limit of a rack, on cost and on rent.
std::vector<std::string> size_verdicts(const SizedCluster& sized);

/// Next step for the user, in a few words.
std::string size_next_step(const SizedCluster& sized);

/// Report for terminals: main results, failing constraints, networks, power, cooling, cost, a floor plan.
std::string size_text(const ResultContext& context, const SizedCluster& sized);

std::string size_markdown(const ResultContext& context, const SizedCluster& sized);

/// Purchasing list, and nothing else, so that a spreadsheet can sum its columns.
std::string size_csv(const SizedCluster& sized);

/// @param format  table, json, csv, markdown or html
std::string render_size(OutputFormat format, const ResultContext& context, const SizedCluster& sized);

/// Self-contained page: verdict, floor plan, power flows, networks, cooling, money, purchasing list. It has no script,
/// makes no request and escapes all text.
std::string size_page(const ResultContext& context, const SizedCluster& sized);

}  // namespace clusterwright
