// SPDX-License-Identifier: Apache-2.0
/// Price of one part: from the price list, else from the catalog.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/job/price_list.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

struct PartPrice {
  std::optional<Dollars> each;  ///< none where neither list nor catalog has a price
  std::string source;           ///< "prices: quote of 2026-03", "catalog: list price (HF-HW)"; empty without a price
};

/// Price of the list; else the catalog's list price, else the position in the catalog's range that the list states. A
/// node without either costs its share of the machine that it is sold in, else its accelerators times
/// `node_over_accelerators`.
/// @param part  id in any list of the catalog whose parts are sold one by one
PartPrice price_of(const std::string& part, const Catalog& catalog, const PriceList& prices);

}  // namespace clusterwright
