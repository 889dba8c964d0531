// SPDX-License-Identifier: Apache-2.0
// Annuity: a price becomes equal yearly payments, and those a price per hour in use.
//
//   capital per hour = (machines x annuity(years) + building x annuity(building years)) / hours,
//   annuity(n) = r / (1 - (1 + r)^-n),   hours = 8,766 h x utilisation x accelerators
// Invariants: chapters sum to capex, capital + operations + energy sum to the hour, and energy of a year is that of its
// hours in use plus the idle share of the others: load = u + i (1 - u).
//
// Example: $50,000 per accelerator, 5 years at 8 %: annuity 0.2505, so $12,523 a year. In use 85 % of 8,766 hours that
// is $1.68 an hour. With $1,000 of operations ($0.13) and 1.3 kW at $0.08/kWh and i = 0.3, load 0.895, $911 of energy
// in continuous use becomes $816 ($0.11): $1.92 in all. Rent breaks even at the utilisation u where (capital + fixed +
// i energy) / u + (1 - i) energy equals the rent of a year.
//
// Source: capital recovery factor, any text of engineering economics (e.g. Newnan et al., "Engineering Economic
// Analysis"); prices carry their own sources in configs/prices.
#include "models/site/sizing/cost_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/site/sizing/cost_terms.hpp"
#include "sim/plain_number.hpp"
#include "topology/parts/catalog.hpp"

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

namespace {

BillItem once(BillChapter chapter, std::string use) {
  BillItem item;
  item.chapter = chapter;
  item.use = std::move(use);
  item.count = 1;
  return item;
}

PricedItem priced(const BillItem& item, const CostRequest& request) {
  if (request.rented) return {item, Dollars{}, "included in the rent"};
  if (request.prices.covers(item.chapter)) return {item, Dollars{}, "included in the price of the building"};
  PartPrice price = item.length ? price_of_cable(item.part, *item.length, request.catalog, request.prices)
                                : price_of(item.part, request.catalog, request.prices);
  return {item, price.each, std::move(price.source)};
}

Dollars sum_of(const std::vector<PricedItem>& items) {
  Dollars sum;
  for (const PricedItem& item : items) sum += item.total();
  return sum;
}

void add_building(CostReport& report, const CostRequest& request) {
  const auto by_power = [&](const auto& price, Watts power, const char* use) {
    if (price)
      report.items.push_back({once(BillChapter::building, use), price->value * power, "prices: " + price->source});
  };
  if (request.rented) return;
  by_power(request.prices.shell, request.rated_it, "shell, for the rated power of the machines");
  by_power(request.prices.grid, request.asked_of_grid, "grid connection and generators, for the design day");
  by_power(request.prices.facility_per_power, request.rated_it, "for the rated power of the machines");
  if (const auto& price = request.prices.facility_per_node) {
    BillItem item = once(BillChapter::building, "per node");
    item.count = request.nodes;
    report.items.push_back({std::move(item), price->value, "prices: " + price->source});
  }
}

void add_items(CostReport& report, const CostRequest& request) {
  for (const BillItem& item : request.bill) {
    report.items.push_back(priced(item, request));
    const bool known = report.items.back().each || item.count == 0;
    const auto& unpriced = report.unpriced;
    if (!known && std::find(unpriced.begin(), unpriced.end(), item.part) == unpriced.end())
      report.unpriced.push_back(item.part);
  }
}

void add_chapters(CostReport& report) {
  std::array<Dollars, bill_chapter_names.size()> sums{};
  std::array<bool, bill_chapter_names.size()> there{};
  for (const PricedItem& item : report.items) {
    const auto chapter = static_cast<std::size_t>(item.item.chapter);
    sums[chapter] += item.total();
    there[chapter] = true;
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (there[i]) report.capex.push_back({std::string(bill_chapter_names[i]), sums[i]});
    report.capex_total += sums[i];
  }
}

/// @return the price of all parts, without building and installation
Dollars add_capex(CostReport& report, const CostRequest& request) {
  add_items(report, request);
  const Dollars parts = sum_of(report.items);
  add_building(report, request);
  const Sourced<double>& installation = request.prices.installation_share;
  if (installation.value > 0 && !request.rented)
    report.items.push_back({once(BillChapter::installation, "share of the price of all parts"),
                            parts * installation.value, "prices: " + installation.source});
  add_chapters(report);
  return parts;
}

/// Cost of energy and water in a year of continuous use.
struct FullUse {
  Dollars energy, water;
};

FullUse full_use(const CostRequest& request) {
  if (request.rented) return {};
  const auto water = request.wue_l_per_kwh * 1e-3 * cubic_meter / kilowatt_hour;
  return {request.mean_facility * year * request.prices.electricity->value,
          request.mean_it * year * water * request.prices.water.value};
}

/// Yearly costs that do not depend on use.
std::vector<CostShare> fixed_costs(const CostRequest& request, Dollars parts) {
  const PriceList& prices = request.prices;
  if (request.rented) return {};
  std::vector<CostShare> costs = {{"maintenance", parts * prices.maintenance_share.value},
                                  {"staff", (prices.staff.value + prices.staff_per_rack.value * request.racks) * year}};
  if (prices.colocation) costs.push_back({"rent of space", request.rated_it * year * prices.colocation->value});
  return costs;
}

/// Chapters with the life of the building.
bool lasts(BillChapter chapter) {
  return chapter == BillChapter::building || chapter == BillChapter::power || chapter == BillChapter::cooling;
}

/// Interest and repayment per year; building, power chain and cooling have a longer life than the machines.
Dollars yearly_capital(const CostReport& report, const PriceList& prices) {
  Dollars building;
  for (const PricedItem& item : report.items)
    if (lasts(item.item.chapter)) building += item.total();
  const double years = prices.building_years ? prices.building_years->value : report.years;
  return (report.capex_total - building) * capital_recovery_factor(report.interest, report.years) +
         building * capital_recovery_factor(report.interest, years);
}

struct YearlyCosts {
  Dollars capital;  ///< interest and repayment
  Dollars fixed;
  FullUse full;
};

/// @param load  energy over that of a year in continuous use
CostPerHour per_hour(const YearlyCosts& costs, double load, Seconds used) {
  const double hours = used.in(hour);
  return {costs.capital / hours, costs.fixed / hours, (costs.full.energy + costs.full.water) * load / hours};
}

/// Years until the rent saved each year repays `paid` with interest; infinite if never.
double payback_years(Dollars paid, Dollars saved_per_year, double interest) {
  if (saved_per_year <= Dollars{}) return INFINITY;
  const double years = paid / saved_per_year;
  if (interest == 0) return years;
  return interest * years < 1 ? -std::log1p(-interest * years) / std::log1p(interest) : INFINITY;
}

/// With u the utilisation and i the idle share, an hour in use costs (fixed + i energy) / u + (1 - i) energy.
RentOrBuy rent_or_buy(const CostRequest& request, const CostReport& report, const YearlyCosts& costs) {
  const PriceList& prices = request.prices;
  const auto rent = prices.rent_of(request.accelerator)->value;
  const double idle = prices.idle_power_share.value;
  const Dollars energy = costs.full.energy + costs.full.water;
  const Dollars rented = rent * year * request.accelerators;  // rent of all hours of a year
  const Dollars unavoidable = costs.capital + costs.fixed + idle * energy;
  const Dollars gained = rented - (1 - idle) * energy;

  RentOrBuy answer;
  answer.rent_per_hour = rent * hour;
  if (gained > Dollars{} && unavoidable <= gained) answer.break_even_utilisation = unavoidable / gained;
  const double years =
      payback_years(report.capex_total, rented * report.utilisation - report.opex_total, report.interest);
  if (std::isfinite(years)) answer.break_even_months = years * (year / month);
  answer.buy = report.per_hour.total() <= answer.rent_per_hour;
  return answer;
}

}  // namespace

double capital_recovery_factor(double interest, double years) {
  return interest == 0 ? 1 / years : interest / -std::expm1(-years * std::log1p(interest));
}

namespace {

/// Rent of all nodes for a year of hours in use.
Dollars yearly_rent(CostReport& report, const CostRequest& request) {
  if (!request.rented) return {};
  const auto* rent = request.prices.rent_of(request.accelerator);
  if (!rent) report.unpriced.push_back("the rent of " + request.accelerator);
  return rent ? rent->value * year * report.utilisation * request.accelerators : Dollars{};
}

/// Millions of tokens that the cluster makes in an hour of use.
std::optional<double> million_tokens_per_hour(const CostRequest& request, double goodput) {
  if (!request.tokens_per_second || *request.tokens_per_second <= 0) return {};
  return *request.tokens_per_second * goodput * hour.in(second) / 1e6;
}

std::optional<CarbonUse> carbon_use(const CostRequest& request, const CostReport& report, double load) {
  const double grams = request.prices.carbon_g_per_kwh.value;
  if (grams <= 0) return {};
  constexpr double grams_per_kg = 1e3, kg_per_tonne = 1e3;
  const double kg_per_year = (request.mean_facility * year).in(kilowatt_hour)*load * grams / grams_per_kg;
  const double kg_per_hour = kg_per_year / (year.in(hour)*report.utilisation);
  CarbonUse out{grams, kg_per_year / kg_per_tonne, kg_per_hour / request.accelerators, {}};
  if (const auto tokens = million_tokens_per_hour(request, report.goodput))
    out.kg_per_million_tokens = kg_per_hour / *tokens;
  return out;
}

/// Costs with every price at one end of its range.
CostReport priced_at_end(const CostRequest& request) {
  const PriceList& prices = request.prices;
  CostReport report;
  report.price_list = prices.name;
  report.date = prices.date.text();
  report.years = prices.years->value;
  report.interest = prices.interest.value;
  report.utilisation = prices.utilisation.value;
  report.goodput = std::min(prices.goodput.value, request.progress);
  report.rented = request.rented;
  const Dollars parts = add_capex(report, request);

  const FullUse full = full_use(request);
  const double load = report.utilisation + prices.idle_power_share.value * (1 - report.utilisation);
  report.opex = {{"energy", full.energy * load}, {"water", full.water * load}};
  Dollars fixed = yearly_rent(report, request);
  if (request.rented) report.opex = {{"rent of nodes", fixed}};
  for (CostShare& cost : fixed_costs(request, parts)) {
    fixed += cost.amount;
    report.opex.push_back(std::move(cost));
  }
  for (const CostShare& cost : report.opex) report.opex_total += cost.amount;

  const Dollars capital = yearly_capital(report, prices);
  const YearlyCosts costs{capital, fixed, full};
  report.per_hour = per_hour(costs, load, year * report.utilisation * request.accelerators);
  const Dollars hourly = report.per_hour.total();
  if (hourly > Dollars{}) report.energy_share = report.per_hour.energy / hourly;
  if (const auto tokens = million_tokens_per_hour(request, report.goodput))
    report.usd_per_million_tokens = (hourly * request.accelerators).in(dollar) / *tokens;
  report.carbon = carbon_use(request, report, load);
  if (!request.rented && prices.rent_of(request.accelerator)) report.rent = rent_or_buy(request, report, costs);
  return report;
}

CostReport at_end(const CostRequest& request, PriceEnd end) {
  const PriceList prices = request.prices.at_end(end);
  const CostRequest& r = request;
  return priced_at_end({r.bill, r.catalog, prices, r.accelerators, r.nodes, r.rated_it, r.racks, r.mean_it,
                        r.mean_facility, r.wue_l_per_kwh, r.tokens_per_second, r.progress, r.accelerator, r.rented,
                        r.asked_of_grid});
}

CostSums sums_of(CostReport report) {
  return {std::move(report.capex), std::move(report.opex),        report.capex_total, report.opex_total,
          report.per_hour,         report.usd_per_million_tokens, report.carbon};
}

/// Share of the typical cost whose items cost the same at both ends.
double share_without_range(const CostReport& typical, const CostReport& low, const CostReport& high) {
  Dollars sum;
  for (std::size_t i = 0; i < typical.items.size(); ++i)
    if (low.items[i].total() == high.items[i].total()) sum += typical.items[i].total();
  return typical.capex_total > Dollars{} ? sum / typical.capex_total : 0;
}

}  // namespace

CostReport price_cluster(const CostRequest& request) {
  CostReport report = at_end(request, PriceEnd::typical);
  const CostReport low = at_end(request, PriceEnd::low), high = at_end(request, PriceEnd::high);
  report.without_range = share_without_range(report, low, high);
  report.terms = cost_terms(request);
  report.low = sums_of(low);
  report.high = sums_of(high);
  return report;
}

}  // namespace clusterwright
