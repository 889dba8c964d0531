// SPDX-License-Identifier: Apache-2.0
/// Sentences about a sized cluster, for tables, pages and terminals.
#pragma once

#include <string>
#include <vector>

#include "models/site/sizing/sized_cluster.hpp"

namespace clusterwright {

/// "1,016 x H100-SXM in 38 racks".
std::string size_title(const SizedCluster& sized);

/// "$43.2 M", or "at least $43.2 M" where parts have no price.
std::string capex_text(const CostReport& cost);

/// Sentences on the constraints, on the limit of a rack, on cost and on rent.
std::vector<std::string> size_verdicts(const SizedCluster& sized);

/// Next step for the user, in a few words.
std::string size_next_step(const SizedCluster& sized);

}  // namespace clusterwright
