// SPDX-License-Identifier: Apache-2.0
/// Parts that make a link: a cable with its own ends, or fibre with two transceivers.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "topology/parts/catalog.hpp"
#include "topology/parts/usual_price.hpp"

namespace clusterwright {

/// End of a link. Ports that share a cage share its module or cable.
struct LinkEnd {
  bool node = false;
  int ports_per_cage = 1;
  auto operator<=>(const LinkEnd&) const = default;
};

struct LinkParts {
  const CablePart* cable = nullptr;         ///< cable, or fibre
  const CablePart* lower_module = nullptr;  ///< transceiver at the lower end; null for cables with their own ends
  const CablePart* upper_module = nullptr;
  double price_usd = 0;  ///< price of one link, middle of the catalog's range
  Watts power;           ///< power of one link, both ends
};

/// Choice of parts by rate, ends and length; remembers what it chose.
class LinkCatalog {
 public:
  /// @param reach_margin  reach that parts must have beyond a length, over that length
  explicit LinkCatalog(const Catalog& catalog, double reach_margin = 0)
      : catalog_(catalog), reach_factor_(1 + reach_margin) {}

  /// Cheapest parts that reach; of equally cheap ones those that draw least. Both modules of a link take the same
  /// fibre.
  /// @return nullptr where the catalog has none for the rate and length
  const LinkParts* choose(BytesPerSecond rate, LinkEnd lower, LinkEnd upper, Meters length);

  /// Parts with the named cable, or the named module at the lower end, whatever its reach.
  /// @return nothing if it does not carry the rate, or fits neither end
  std::optional<LinkParts> with_named(const CablePart& named, BytesPerSecond rate, LinkEnd lower, LinkEnd upper) const;

 private:
  using Key = std::tuple<double, LinkEnd, LinkEnd, double>;

  std::optional<LinkParts> search(BytesPerSecond rate, LinkEnd lower, LinkEnd upper, Meters length) const;
  void consider_cable(const CablePart& part, BytesPerSecond rate, LinkEnd lower, LinkEnd upper, Meters length,
                      std::optional<LinkParts>& best) const;
  /// Considers `lower_module` at the lower end with every module at the upper end.
  void consider_module(const CablePart& lower_module, BytesPerSecond rate, LinkEnd lower, LinkEnd upper, Meters length,
                       std::optional<LinkParts>& best) const;

  const Catalog& catalog_;
  double reach_factor_;
  std::map<Key, std::optional<LinkParts>> chosen_;
};

}  // namespace clusterwright
