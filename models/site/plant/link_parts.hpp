/// Which cable, or which fibre with transceivers, makes a link.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// What a link ends in. Where ports share cages, these take modules and cables with several links.
struct LinkEnd {
  bool node = false;
  int ports_per_cage = 1;
  auto operator<=>(const LinkEnd&) const = default;
};

struct LinkParts {
  const CablePart* cable = nullptr;         ///< cable, or fibre
  const CablePart* lower_module = nullptr;  ///< at the end named first; null for cables that bring their ends
  const CablePart* upper_module = nullptr;
  double price_usd = 0;  ///< of one link, middle of the catalog's range
  Watts power;           ///< of one link, both ends
};

/// Middle of low and high, or the list price; nothing where neither is known.
std::optional<double> usual_price_usd(const std::map<std::string, Sourced<double>>& price_usd);

/// The next longer length on sale.
Meters length_on_sale(Meters routed);

/// Choices by rate, ends and length; remembers what it chose.
class LinkCatalog {
 public:
  explicit LinkCatalog(const Catalog& catalog) : catalog_(catalog) {}

  /// The cheapest parts that reach; of equal prices those that draw least. Both modules of a link take the same fibre.
  /// @return nullptr where the catalog has none for the rate and length
  const LinkParts* choose(BytesPerSecond rate, LinkEnd lower, LinkEnd upper, Meters length);

  /// The same with a cable, or a module of the lower end, that somebody named, whatever its reach.
  /// @return nothing if it does not carry the rate, or suits neither end
  std::optional<LinkParts> with_named(const CablePart& named, BytesPerSecond rate, LinkEnd lower, LinkEnd upper) const;

 private:
  using Key = std::tuple<double, LinkEnd, LinkEnd, double>;

  std::optional<LinkParts> search(BytesPerSecond rate, LinkEnd lower, LinkEnd upper, Meters length) const;
  void consider_cable(const CablePart& part, BytesPerSecond rate, LinkEnd lower, LinkEnd upper, Meters length,
                      std::optional<LinkParts>& best) const;
  /// With `lower_module` at the lower end, and any at the upper.
  void consider_module(const CablePart& lower_module, BytesPerSecond rate, LinkEnd lower, LinkEnd upper, Meters length,
                       std::optional<LinkParts>& best) const;

  const Catalog& catalog_;
  std::map<Key, std::optional<LinkParts>> chosen_;
};

}  // namespace clusterwright
