// SPDX-License-Identifier: Apache-2.0
/// Effect of each price and term on the price of a token.
#pragma once

#include <string>
#include <vector>

#include "models/comparison/compared_option.hpp"
#include "models/job/price_list.hpp"

namespace clusterwright {

struct PriceSensitivity {
  std::string term;           ///< "price of compute"
  double less = 0, more = 0;  ///< relative change of dollars per token with 10 % less and with 10 % more of it
};

/// The largest effect first; terms that the price does not depend on are left out. The step stays. Shares end at 1.
/// @pre option.sized has a price of tokens
std::vector<PriceSensitivity> price_sensitivities(const ComparedOption& option, const Catalog& catalog,
                                                  const PriceList& prices);

}  // namespace clusterwright
