// SPDX-License-Identifier: Apache-2.0
/// Prices of single parts, by price list and catalog.
#pragma once

#include <optional>
#include <string>

#include "models/job/price_list.hpp"
#include "sim/quantity.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// Price at the end of its range that the list is taken at.
struct PartPrice {
  std::optional<Dollars> each;  ///< none where neither list nor catalog has a price
  std::string source;           ///< "prices: quote of 2026-03", "catalog: list price (HF-HW)"; empty without a price
};

/// Price of the list; else of the catalog: at its low or high end, typically the list price, else the position in the
/// range that the list states. Parts that are sold by power have a price of a kilowatt. A node without either costs its
/// share of the machine that it is sold in, else its accelerators times `node_over_accelerators`.
/// @param part  id in any list of the catalog whose parts are sold one by one
PartPrice price_of(const std::string& part, const Catalog& catalog, const PriceList& prices);

/// Price of a cable of a length: its price as a part, and that of its metres where list or catalog have one. A list
/// that prices the part and not its metres prices every length alike.
PartPrice price_of_cable(const std::string& part, Meters length, const Catalog& catalog, const PriceList& prices);

}  // namespace clusterwright
