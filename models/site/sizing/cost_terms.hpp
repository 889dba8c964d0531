// SPDX-License-Identifier: Apache-2.0
/// Assumptions behind sums of money, in words.
#pragma once

#include <vector>

#include "models/site/sizing/cost_report.hpp"

namespace clusterwright {

/// Terms of a request, in the order in which they matter: prices, life, use, building, electricity, the rest.
std::vector<CostTerm> cost_terms(const CostRequest& request);

}  // namespace clusterwright
