#include "models/site/money/cost_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/site/money/part_price.hpp"

namespace clusterwright {

namespace {

BillItem once(BillChapter chapter, std::string use) {
  BillItem item;
  item.chapter = chapter;
  item.use = std::move(use);
  item.count = 1;
  return item;
}

PricedItem priced(const BillItem& item, const CostRequest& r) {
  if (r.prices.covers(item.chapter)) return {item, Dollars{}, "in the price of the building"};
  PartPrice price = price_of(item.part, r.catalog, r.prices);
  return {item, price.each, std::move(price.source)};
}

Dollars sum_of(const std::vector<PricedItem>& items) {
  Dollars sum;
  for (const PricedItem& item : items) sum += item.total();
  return sum;
}

void add_building(CostReport& report, const CostRequest& r) {
  if (const auto& price = r.prices.facility_per_power)
    report.items.push_back({once(BillChapter::building, "for the rated power of the machines"),
                            price->value * r.rated_it, "prices: " + price->source});
  if (const auto& price = r.prices.facility_per_node) {
    BillItem item = once(BillChapter::building, "for one node each");
    item.count = r.nodes;
    report.items.push_back({std::move(item), price->value, "prices: " + price->source});
  }
}

void add_items(CostReport& report, const CostRequest& r) {
  for (const BillItem& item : r.bill) {
    report.items.push_back(priced(item, r));
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
Dollars add_capex(CostReport& report, const CostRequest& r) {
  add_items(report, r);
  const Dollars parts = sum_of(report.items);
  add_building(report, r);
  const Sourced<double>& installation = r.prices.installation_share;
  if (installation.value > 0)
    report.items.push_back({once(BillChapter::installation, "share of all parts"), parts * installation.value,
                            "prices: " + installation.source});
  add_chapters(report);
  return parts;
}

/// Energy and water of one year, were the cluster always in use.
struct FullUse {
  Dollars energy, water;
};

FullUse full_use(const CostRequest& r) {
  const auto water = r.wue_l_per_kwh * 1e-3 * cubic_meter / kilowatt_hour;
  return {r.mean_facility * year * r.prices.electricity->value, r.mean_it * year * water * r.prices.water.value};
}

/// Paid by the year whether the cluster is used or not, but for energy in idle hours.
std::vector<CostShare> fixed_costs(const CostRequest& r, Dollars parts) {
  const PriceList& prices = r.prices;
  std::vector<CostShare> costs = {{"maintenance", parts * prices.maintenance_share.value},
                                  {"staff", (prices.staff.value + prices.staff_per_rack.value * r.racks) * year}};
  if (prices.colocation) costs.push_back({"rent of space", r.rated_it * year * prices.colocation->value});
  return costs;
}

/// The building outlives the machines.
Dollars yearly_capital(const CostReport& report, const PriceList& prices) {
  Dollars building;
  for (const PricedItem& item : report.items)
    if (item.item.chapter == BillChapter::building) building += item.total();
  const double years = prices.building_years ? prices.building_years->value : report.years;
  return (report.capex_total - building) * capital_recovery_factor(report.interest, report.years) +
         building * capital_recovery_factor(report.interest, years);
}

struct YearlyCosts {
  Dollars capital;  ///< interest and repayment
  Dollars fixed;
  FullUse full;  ///< if always in use
};

/// @param load  share of the energy of a year in full use
CostPerHour per_hour(const YearlyCosts& costs, double load, Seconds used) {
  const double hours = used.in(hour);
  return {costs.capital / hours, costs.fixed / hours, (costs.full.energy + costs.full.water) * load / hours};
}

/// Years until what rent would have cost repays `paid` with interest. Infinite if never.
double payback_years(Dollars paid, Dollars saved_per_year, double interest) {
  if (saved_per_year <= Dollars{}) return INFINITY;
  const double years = paid / saved_per_year;
  if (interest == 0) return years;
  return interest * years < 1 ? -std::log1p(-interest * years) / std::log1p(interest) : INFINITY;
}

/// With u the utilisation and i the idle share, an hour in use costs (fixed + i energy) / u + (1 - i) energy.
RentOrBuy rent_or_buy(const CostRequest& r, const CostReport& report, const YearlyCosts& costs) {
  const PriceList& prices = r.prices;
  const auto rent = prices.rent->value;
  const double idle = prices.idle_power_share.value;
  const Dollars energy = costs.full.energy + costs.full.water;
  const Dollars rented = rent * year * r.accelerators;  // all hours of a year
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

CostReport price_cluster(const CostRequest& r) {
  const PriceList& prices = r.prices;
  CostReport report;
  report.price_list = prices.name;
  report.date = prices.date;
  report.years = prices.years->value;
  report.interest = prices.interest.value;
  report.utilisation = prices.utilisation.value;
  const Dollars parts = add_capex(report, r);

  const FullUse full = full_use(r);
  const double load = report.utilisation + prices.idle_power_share.value * (1 - report.utilisation);
  report.opex = {{"energy", full.energy * load}, {"water", full.water * load}};
  Dollars fixed;
  for (CostShare& cost : fixed_costs(r, parts)) {
    fixed += cost.amount;
    report.opex.push_back(std::move(cost));
  }
  for (const CostShare& cost : report.opex) report.opex_total += cost.amount;

  const Dollars capital = yearly_capital(report, prices);
  const YearlyCosts costs{capital, fixed, full};
  report.per_hour = per_hour(costs, load, year * report.utilisation * r.accelerators);
  const Dollars hourly = report.per_hour.total();
  if (hourly > Dollars{}) report.energy_share = report.per_hour.energy / hourly;
  if (r.tokens_per_second && *r.tokens_per_second > 0)
    report.usd_per_million_tokens =
        (hourly * r.accelerators).in(dollar) / (*r.tokens_per_second * prices.goodput.value * hour.in(second)) * 1e6;
  if (prices.rent) report.rent = rent_or_buy(r, report, costs);
  return report;
}

}  // namespace clusterwright
