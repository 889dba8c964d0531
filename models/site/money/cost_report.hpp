/// What a cluster costs to buy and to run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/job/price_list.hpp"
#include "models/site/plant/bill_of_materials.hpp"
#include "sim/quantity.hpp"
#include "topology/parts.hpp"

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

struct CostRequest {
  const BillOfMaterials& bill;
  const Catalog& catalog;
  const PriceList& prices;  ///< checked
  int accelerators = 0;     ///< working ones: spares are bought, their hours are not sold
  int nodes = 0;            ///< that stand there, spares included
  Watts rated_it;           ///< of all machines
  int racks = 0;            ///< that stand there, those that machines bring included
  Watts mean_it;            ///< in hours of use
  Watts mean_facility;
  double wue_l_per_kwh = 0;                 ///< water over energy of the machines
  std::optional<double> tokens_per_second;  ///< of all accelerators, while they make progress
};

/// Share of a debt that is paid each year so that equal payments over `years` repay it with interest.
///   r / (1 - (1 + r)^-n); 1/n without interest
/// @param interest  a year, at least 0
double capital_recovery_factor(double interest, double years);

/// Capital, operations and energy of an accelerator and hour in use:
///   (capex x CRF + yearly cost) / (year x utilisation x accelerators)
/// with the building's part of capex over its own life.
/// Hours without work draw `idle_power_share` of the mean power. Energy and water follow that power; all else is paid
/// whether used or not. What the building's price covers costs nothing more. Parts without a price count nothing and
/// are named.
///
/// Renting pays for hours in use only; break-even counts interest.
/// @pre request.accelerators > 0
CostReport price_cluster(const CostRequest& request);

}  // namespace clusterwright
