// SPDX-License-Identifier: Apache-2.0
/// Purchasing list of a planned site.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/job/price_list.hpp"
#include "sim/quantity.hpp"
#include "topology/cluster/facility_spec.hpp"

namespace clusterwright {

struct Catalog;       // topology/parts/catalog.hpp
struct ComputeBlock;  // models/site/plant/devices.hpp
struct SitePlan;      // models/site/plant/site_plan.hpp

/// Line of the list. Equal parts for different uses are different lines.
struct BillItem {
  BillChapter chapter = BillChapter::compute;
  std::string part;              ///< id in the catalog
  std::string use;               ///< "compute fabric, leaf"; "spare"
  long long count = 0;           ///< pieces, or kilowatts of parts that are sold by power
  std::optional<Meters> length;  ///< length of a cable
  Watts rated_each;              ///< zero for parts that draw no power of their own
  Kilograms mass_each;           ///< zero where not known
};

using BillOfMaterials = std::vector<BillItem>;

struct BillRequest {
  const SitePlan& plan;
  const ComputeBlock& block;
  const Catalog& catalog;
  const ServicesSpec& services;
  const StabilizationSpec& stabilization;
  int managers = 0, servers = 0, appliances = 0;
};

/// Smallest stock that covers the failures of a lead time with the given probability: the least s with
///   sum over k = 0..s of e^-m m^k / k! >= service level,   m = mean number of failures
/// Example: 2,048 transceivers at 1 % a year and 8 weeks: m = 3.14; 6 cover 96 %, 5 cover 90 %.
/// @pre service_level < 1
long long poisson_stock(double failures, double service_level);

/// Spare parts that the services ask for and the catalog does not describe: power supplies of which it has no count.
std::vector<std::string> spares_not_counted(const BillRequest& request);

/// Bill by chapter, in the order of BillChapter. Machines that bring their rack need no frame.
BillOfMaterials make_bill(const BillRequest& request);

}  // namespace clusterwright
