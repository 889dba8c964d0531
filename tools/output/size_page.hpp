#pragma once

#include <string>

#include "models/site/sizing/sized_cluster.hpp"
#include "tools/output/result_context.hpp"

namespace clusterwright {

/// One self-contained page: verdict, floor plan, power as flows, networks, cooling, money, purchasing list. No script,
/// no request, everything escaped.
std::string size_page(const ResultContext& context, const SizedCluster& sized);

}  // namespace clusterwright
