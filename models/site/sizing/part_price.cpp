// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/part_price.hpp"

#include <fmt/format.h>

#include "sim/plain_number.hpp"

namespace clusterwright {

namespace {

using Range = std::map<std::string, Sourced<double>>;

const Sourced<double>* bound(const Range& range, const char* key) {
  const auto found = range.find(key);
  return found == range.end() ? nullptr : &found->second;
}

PartPrice single(const Sourced<double>& price, const char* what) {
  return {price.value * dollar, fmt::format("catalog: {} ({})", what, price.source)};
}

/// @param position  typical position in the range
PartPrice price_in(const Range& range, PriceEnd end, double position) {
  const auto *list = bound(range, "list"), *low = bound(range, "low"), *high = bound(range, "high");
  if (end == PriceEnd::low && low) return single(*low, "low price");
  if (end == PriceEnd::high && high) return single(*high, "high price");
  if (list) return single(*list, "list price");
  if (!low && !high) return {};
  if (!low || !high) return single(low ? *low : *high, "only price");
  const std::string sources = low->source == high->source ? low->source : low->source + ", " + high->source;
  return {(low->value + position * (high->value - low->value)) * dollar,
          fmt::format("catalog: at {:.0f} % of the range from ${} to ${} ({})", 100 * position,
                      plain_number(low->value), plain_number(high->value), sources)};
}

class PriceFinder {
 public:
  PriceFinder(const Catalog& catalog, const PriceList& prices) : catalog_(catalog), prices_(prices) {}

  PartPrice of(const std::string& part) const {
    const PartPrice stated = own_price(part);
    const NodePart* node = catalog_.find_node(part);
    if (stated.each || !node) return stated;
    const PartPrice share = share_of_machine(*node);
    return share.each ? share : by_accelerators(*node);
  }

  /// Price of a metre of a cable; none where all lengths cost the same.
  PartPrice of_meter(const std::string& part) const {
    if (const auto given = prices_.parts_per_m.find(part); given != prices_.parts_per_m.end())
      return {given->second.value * meter, "prices: " + given->second.source};
    const CablePart* cable = catalog_.find_cable(part);
    if (!cable || prices_.parts.contains(part)) return {};
    return price_in(cable->price_usd_per_m, prices_.end, prices_.part_position.value);
  }

 private:
  PartPrice own_price(const std::string& part) const {
    if (const auto given = prices_.parts.find(part); given != prices_.parts.end())
      return {given->second.value, "prices: " + given->second.source};
    PartPrice price;
    visit_parts_for_sale(catalog_, [&](const auto& parts) {
      const auto* found = find_part(parts, part);
      if (found && !price.each) price = price_in(found->price_usd, prices_.end, prices_.part_position.value);
    });
    visit_parts_by_power(catalog_, [&](const auto& parts) {
      const auto* found = find_part(parts, part);
      if (found && !price.each) price = price_in(found->price_usd_per_kw, prices_.end, prices_.part_position.value);
    });
    return price;
  }

  /// Price of a node as its share of a machine of several nodes. @pre the machine is no share of another
  PartPrice share_of_machine(const NodePart& node) const {
    const NodePart* machine = node.machine.empty() ? nullptr : catalog_.find_node(node.machine);
    if (!machine || !machine->accelerator_count || !node.accelerator_count) return {};
    PartPrice whole = own_price(machine->id);
    if (!whole.each) whole = by_accelerators(*machine);
    if (!whole.each) return {};
    const double nodes = static_cast<double>(machine->accelerator_count->value) / node.accelerator_count->value;
    return {*whole.each / nodes, fmt::format("1/{:g} of {}: {}", nodes, machine->id, whole.source)};
  }

  PartPrice by_accelerators(const NodePart& node) const {
    const PartPrice one = node.accelerator_count ? own_price(node.accelerator_id) : PartPrice{};
    if (!one.each) return {};
    const int count = node.accelerator_count->value;
    const double factor = prices_.node_over_accelerators.value;
    return {*one.each * count * factor, fmt::format("{} x {} at ${:.0f} x {:g}: {}", count, node.accelerator_id,
                                                    one.each->in(dollar), factor, one.source)};
  }

  const Catalog& catalog_;
  const PriceList& prices_;
};

}  // namespace

PartPrice price_of(const std::string& part, const Catalog& catalog, const PriceList& prices) {
  return PriceFinder(catalog, prices).of(part);
}

PartPrice price_of_cable(const std::string& part, Meters length, const Catalog& catalog, const PriceList& prices) {
  const PriceFinder finder(catalog, prices);
  PartPrice price = finder.of(part);
  const PartPrice meter_price = finder.of_meter(part);
  if (!price.each || !meter_price.each) return price;
  *price.each += *meter_price.each * length.in(meter);
  price.source += fmt::format("; {:g} m at ${}: {}", length.in(meter), plain_number(meter_price.each->in(dollar)),
                              meter_price.source);
  return price;
}

}  // namespace clusterwright
