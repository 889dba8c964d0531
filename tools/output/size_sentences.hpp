/// What a sized cluster amounts to, in words: for tables, pages and terminals alike.
#pragma once

#include <string>
#include <vector>

#include "models/site/sizing/sized_cluster.hpp"

namespace clusterwright {

/// "1,016 x H100-SXM in 38 racks".
std::string size_title(const SizedCluster& sized);

/// "$43.2 M", or "at least $43.2 M" where parts have no price.
std::string capex_text(const CostReport& cost);

/// Whether all constraints hold, what binds a rack, and what it costs: one sentence each.
std::vector<std::string> size_verdicts(const SizedCluster& sized);

/// The one thing to do first, in a few words.
std::string size_next_step(const SizedCluster& sized);

}  // namespace clusterwright
