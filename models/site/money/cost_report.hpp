/// What a cluster costs to buy and to run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/site/plant/bill_of_materials.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// A line of the purchasing list with its price.
struct PricedItem {
  BillItem item;
  std::optional<Dollars> each;  ///< none where neither prices nor catalog know one; the total is then a lower bound
  std::string source;           ///< "prices: quote of 2026-03", "catalog: middle of 36,000 and 50,000 (BOM-SHEET)"
  Dollars total() const { return each ? *each * static_cast<double>(item.count) : Dollars{}; }
};

/// A named amount, for breakdowns: the parts of one sum.
struct CostShare {
  std::string name;
  Dollars amount;
};

struct CostPerHour {
  Dollars capital;     ///< of one accelerator and hour in use: interest and repayment
  Dollars operations;  ///< maintenance, staff, rent of space
  Dollars energy;      ///< and water
  Dollars total() const { return capital + operations + energy; }
};

/// Buying against renting accelerators by the hour.
struct RentOrBuy {
  Dollars rent_per_hour;                         ///< of one accelerator
  std::optional<double> break_even_utilisation;  ///< buying is cheaper above; none if it never is
  std::optional<double> break_even_months;  ///< of full use at the planned utilisation until rent exceeds what was paid
  bool buy = false;                         ///< at the planned utilisation and life
};

struct CostReport {
  std::string price_list, date;   ///< which prices, of when
  std::vector<PricedItem> items;  ///< the bill with prices, and building and installation as lines of their own
  std::vector<CostShare> capex;   ///< by chapter, building, installation; sums to capex_total
  Dollars capex_total;
  std::vector<CostShare> opex;  ///< a year: energy, water, maintenance, staff, rent of space; sums to opex_total
  Dollars opex_total;           ///< of one year
  double years = 0, interest = 0, utilisation = 0;
  CostPerHour per_hour;                          ///< of one accelerator
  double energy_share = 0;                       ///< of per_hour
  std::optional<double> usd_per_million_tokens;  ///< needs a job
  std::optional<RentOrBuy> rent;                 ///< where a rent is stated
  std::vector<std::string> unpriced;             ///< parts without a price
};

}  // namespace clusterwright
