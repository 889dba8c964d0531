/// From a purchasing list and prices to what a cluster costs, once, by the year and by the hour.
#pragma once

#include <optional>

#include "models/job/price_list.hpp"
#include "models/site/money/cost_report.hpp"
#include "models/site/plant/bill_of_materials.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

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
