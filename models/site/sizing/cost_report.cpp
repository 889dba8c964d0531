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
#include "topology/parts/catalog.hpp"

namespace clusterwright {

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

/// Interest and repayment per year by chapter; building, power chain and cooling have a longer life than the machines.
std::vector<CostShare> yearly_capital(const CostReport& report, const PriceList& prices) {
  const double years = prices.building_years ? prices.building_years->value : report.years;
  std::vector<CostShare> out;
  for (std::size_t i = 0; i < bill_chapter_names.size(); ++i)
    for (const CostShare& share : report.capex)
      if (share.name == bill_chapter_names[i])
        out.push_back({share.name,
                       share.amount * capital_recovery_factor(
                                          report.interest, lasts(static_cast<BillChapter>(i)) ? years : report.years)});
  return out;
}

Dollars total_of(const std::vector<CostShare>& shares) {
  Dollars sum;
  for (const CostShare& share : shares) sum += share.amount;
  return sum;
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
  report.opex_total = total_of(report.opex);

  report.per_hour_shares = yearly_capital(report, prices);
  const YearlyCosts costs{total_of(report.per_hour_shares), fixed, full};
  report.per_hour_shares.insert(report.per_hour_shares.end(), report.opex.begin(), report.opex.end());
  const Seconds used = year * report.utilisation * request.accelerators;
  for (CostShare& share : report.per_hour_shares) share.amount = share.amount / used.in(hour);
  report.per_hour = per_hour(costs, load, used);
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
  return {std::move(report.capex),
          std::move(report.opex),
          report.capex_total,
          report.opex_total,
          report.per_hour,
          std::move(report.per_hour_shares),
          report.usd_per_million_tokens,
          report.carbon};
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
