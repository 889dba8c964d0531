// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/link_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace clusterwright {

namespace {

/// Relative difference up to which two rates are equal.
constexpr double same_rate = 1e-6;
/// Price of a part without one, so that it is chosen last.
constexpr double unknown_price = 1e9;

bool carries(const CablePart& part, BytesPerSecond rate) {
  return part.rate && std::abs(part.rate->value / rate - 1) < same_rate;
}

bool reaches(const CablePart& part, Meters length) {
  return part.reach && part.reach->value >= length;
}

double price_of(const CablePart& part, Meters length = {}) {
  return usual_price_usd(part.price_usd).value_or(unknown_price) +
         usual_price_usd(part.price_usd_per_m).value_or(0) * length.in(meter);
}

Watts power_of(const CablePart& part) {
  return part.power_per_end ? part.power_per_end->value : Watts{};
}

bool fills(const CablePart& part, LinkEnd end) {
  return end.ports_per_cage % part.links == 0;
}

/// Whether a cable with its own ends fits both cages. A splitter cable has all its links at a switch and one at each
/// node.
bool suits(const CablePart& part, LinkEnd lower, LinkEnd upper) {
  if (part.splits) return lower.node && lower.ports_per_cage == 1 && !upper.node && fills(part, upper);
  return fills(part, lower) && fills(part, upper);
}

/// Whether a module fits a cage; a single-link module would leave the other port of a twin cage unused.
bool suits(const CablePart& module, LinkEnd end) {
  constexpr int twin = 2;
  return fills(module, end) && !(module.links == 1 && end.ports_per_cage == twin);
}

void keep_better(LinkParts parts, std::optional<LinkParts>& best) {
  if (!best || std::tuple(parts.price_usd, parts.power) < std::tuple(best->price_usd, best->power)) best = parts;
}

}  // namespace

const LinkParts* LinkCatalog::choose(BytesPerSecond rate, LinkEnd lower, LinkEnd upper, Meters length) {
  const Key key{rate.base(), lower, upper, length.in(meter)};
  auto found = chosen_.find(key);
  if (found == chosen_.end()) found = chosen_.emplace(key, search(rate, lower, upper, length)).first;
  return found->second ? &*found->second : nullptr;
}

std::optional<LinkParts> LinkCatalog::search(BytesPerSecond rate, LinkEnd lower, LinkEnd upper, Meters length) const {
  std::optional<LinkParts> best;
  const Meters needed = reach_factor_ * length;
  for (const CablePart& part : catalog_.cables) {
    consider_cable(part, rate, lower, upper, needed, best);
    consider_module(part, rate, lower, upper, needed, best);
  }
  return best;
}

std::optional<LinkParts> LinkCatalog::with_named(const CablePart& named, BytesPerSecond rate, LinkEnd lower,
                                                 LinkEnd upper) const {
  std::optional<LinkParts> best;
  consider_cable(named, rate, lower, upper, Meters{}, best);
  consider_module(named, rate, lower, upper, Meters{}, best);
  return best;
}

void LinkCatalog::consider_cable(const CablePart& part, BytesPerSecond rate, LinkEnd lower, LinkEnd upper,
                                 Meters length, std::optional<LinkParts>& best) const {
  const bool whole =
      part.kind == CableKind::copper || part.kind == CableKind::active_copper || part.kind == CableKind::active_optical;
  if (!whole || !carries(part, rate) || !reaches(part, length) || !suits(part, lower, upper)) return;
  // A cable of several links has one end for all of them; a splitter cable has one end per link at the far side.
  const Watts ends = power_of(part) / part.links + power_of(part) / (part.splits ? 1 : part.links);
  keep_better({&part, nullptr, nullptr, price_of(part, length) / part.links, ends}, best);
}

void LinkCatalog::consider_module(const CablePart& lower_module, BytesPerSecond rate, LinkEnd lower, LinkEnd upper,
                                  Meters length, std::optional<LinkParts>& best) const {
  const auto usable = [&](const CablePart& part, LinkEnd end) {
    return part.kind == CableKind::module && carries(part, rate) && reaches(part, length) && suits(part, end);
  };
  const CablePart* fibre = catalog_.find_cable(lower_module.fibre);
  if (!fibre || !usable(lower_module, lower)) return;
  for (const CablePart& other : catalog_.cables) {
    if (!usable(other, upper) || other.fibre != lower_module.fibre) continue;
    const double modules = price_of(lower_module) / lower_module.links + price_of(other) / other.links;
    keep_better({fibre, &lower_module, &other, modules + price_of(*fibre, length),
                 power_of(lower_module) / lower_module.links + power_of(other) / other.links},
                best);
  }
}

}  // namespace clusterwright
