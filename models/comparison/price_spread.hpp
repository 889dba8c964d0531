// SPDX-License-Identifier: Apache-2.0
/// Error of the price of an accelerator-hour by cause, so that causes which two clusters share cancel.
#pragma once

#include <map>
#include <string>

#include "models/site/sizing/cost_report.hpp"

namespace clusterwright {

/// Standard deviations of the logarithm of `CostReport::per_hour`, by cause. A cause is a line of the yearly costs, or
/// the parts of a chapter: "compute: dgx-h100". The range of a price counts as its 90 % interval, and causes as
/// independent. Prices without a range have no error.
std::map<std::string, double> price_spread(const CostReport& cost);

/// Standard deviation of the logarithm of the ratio of both prices.
double sigma_of_prices(const CostReport& a, const CostReport& b);

}  // namespace clusterwright
