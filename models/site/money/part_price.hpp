/// What one part costs: by the price list, else by the catalog.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/job/price_list.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

struct PartPrice {
  std::optional<Dollars> each;  ///< none where neither list nor catalog knows one
  std::string source;           ///< "prices: quote of 2026-03", "catalog: list price (HF-HW)"; empty without a price
};

/// The list's own price; else the catalog's list price, else the place in its range that the list asks for. A node
/// without either costs its share of the machine that it is sold in, else its accelerators times
/// `node_over_accelerators`.
/// @param part  id in any list of the catalog whose parts are bought one by one
PartPrice price_of(const std::string& part, const Catalog& catalog, const PriceList& prices);

}  // namespace clusterwright
