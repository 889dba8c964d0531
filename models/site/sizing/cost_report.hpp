// SPDX-License-Identifier: Apache-2.0
/// Prices of parts, and the cost of a cluster: to buy, for a year, and for one accelerator and hour.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/job/price_list.hpp"
#include "models/site/plant/bill_of_materials.hpp"
#include "models/site/sizing/part_price.hpp"
#include "sim/quantity.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// Line of the purchasing list with its price.
struct PricedItem {
  BillItem item;
  std::optional<Dollars> each;  ///< none where neither prices nor catalog have one; the total is then a lower bound
  std::string source;           ///< "prices: quote of 2026-03", "catalog: middle of 36,000 and 50,000 (BOM-SHEET)"
  Dollars total() const { return each ? *each * static_cast<double>(item.count) : Dollars{}; }
};

/// Named part of a sum.
struct CostShare {
  std::string name;
  Dollars amount;
};

/// Cost of one accelerator for one hour in use.
struct CostPerHour {
  Dollars capital;     ///< interest and repayment
  Dollars operations;  ///< maintenance, staff, rent of space
  Dollars energy;      ///< energy and water
  Dollars total() const { return capital + operations + energy; }
};

/// Comparison of buying with renting accelerators by the hour.
struct RentOrBuy {
  Dollars rent_per_hour;                         ///< rent of one accelerator
  std::optional<double> break_even_utilisation;  ///< buying is cheaper above; none if it never is
  std::optional<double> break_even_months;       ///< months at the planned utilisation until rent exceeds the price
  bool buy = false;                              ///< buying is cheaper at the planned utilisation and life
};

/// Assumption behind the sums: "interest", "8 % a year", with its source.
struct CostTerm {
  std::string name, value, source;
};

/// Carbon dioxide, and equivalents, for the electricity of operation. What making and building emitted is not counted.
struct CarbonUse {
  double grams_per_kwh = 0;
  double tonnes_per_year = 0;          ///< of all hours, idle ones too
  double kg_per_accelerator_hour = 0;  ///< of an hour in use, which carries the idle ones
  std::optional<double> kg_per_million_tokens;
};

/// Sums of money with every price at one end of its range.
struct CostSums {
  std::vector<CostShare> capex, opex;
  Dollars capex_total, opex_total;
  CostPerHour per_hour;
  std::vector<CostShare> per_hour_shares;
  std::optional<double> usd_per_million_tokens;
  std::optional<CarbonUse> carbon;
};

struct CostReport {
  std::string price_list, date;   ///< name and date of the price list
  std::vector<PricedItem> items;  ///< priced bill, with building and installation as lines of their own
  std::vector<CostShare> capex;   ///< cost by chapter, building, installation; sums to capex_total
  Dollars capex_total;
  std::vector<CostShare> opex;  ///< cost per year: energy, water, maintenance, staff, rent; sums to opex_total
  Dollars opex_total;           ///< cost per year
  double years = 0, interest = 0;
  double utilisation = 0;  ///< share of all hours in use; every price of an hour in use pays for the others
  double goodput = 1;  ///< share of the hours in use in which steps run; prices of tokens and runs pay for the others
  CostPerHour per_hour;
  std::vector<CostShare> per_hour_shares;        ///< the same by chapter of capex and line of opex; sums to its total
  double energy_share = 0;                       ///< share of energy in per_hour
  std::optional<double> usd_per_million_tokens;  ///< none without a job
  std::optional<RentOrBuy> rent;                 ///< none where no rent is stated
  std::vector<std::string> unpriced;             ///< parts without a price; sums are then lower bounds
  bool rented = false;                           ///< nodes of a cloud: nothing is bought, hours are rented
  CostSums low, high;                            ///< all prices at the low, and at the high end of their ranges
  double without_range = 0;                      ///< share of capex whose prices have no range
  std::optional<CarbonUse> carbon;               ///< none where the list does not state it
  std::vector<CostTerm> terms;                   ///< assumptions behind the sums

  bool lower_bound() const { return !unpriced.empty(); }
};

struct CostRequest {
  const BillOfMaterials& bill;
  const Catalog& catalog;
  const PriceList& prices;  ///< checked
  int accelerators = 0;     ///< working accelerators: spares are bought, but their hours are not sold
  int nodes = 0;            ///< nodes in the hall, with spares
  Watts rated_it;           ///< rated power of all machines
  int racks = 0;            ///< racks in the hall, with those that machines bring
  Watts mean_it;            ///< mean power of all machines in hours of use
  Watts mean_facility;
  double wue_l_per_kwh = 0;                 ///< water over energy of the machines
  std::optional<double> tokens_per_second;  ///< throughput of all accelerators while training makes progress
  double progress = 1;                      ///< share of the time that the job's own checkpoints leave for steps
  std::string accelerator = {};             ///< id, for its rent
  bool rented = false;                      ///< nodes are rented by the hour, with everything around them
  Watts asked_of_grid = {};                 ///< power from the grid on the design day, everything at its nameplate
};

/// Annuity factor: share of a debt that equal yearly payments over `years` take to repay it with interest.
///   r / (1 - (1 + r)^-n); 1/n without interest
/// Example: at 8 % over 5 years 0.2505, so $1 M costs $250,456 a year.
/// @param interest  rate per year, at least 0
double capital_recovery_factor(double interest, double years);

/// Cost of one accelerator and hour in use:
///   (capex x annuity factor + yearly cost) / (year x utilisation x accelerators)
/// with the building, the power chain and cooling over their own life.
/// Idle hours draw `idle_power_share` of the mean power; energy and water follow that power, and everything else costs
/// the same whether used or not. Parts in the price of the building cost nothing more. Parts without a price count as
/// zero and are listed.
///
/// Rent is paid for hours in use only; the break-even counts interest.
/// @pre request.accelerators > 0
CostReport price_cluster(const CostRequest& request);

}  // namespace clusterwright
