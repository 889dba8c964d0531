/// The purchasing list of a planned site.
#pragma once

#include "models/site/plant/devices.hpp"

namespace clusterwright {

struct BillRequest {
  const SitePlan& plan;
  const ComputeBlock& block;
  const Catalog& catalog;
  const ServicesSpec& services;
  int managers = 0, servers = 0, appliances = 0;
};

/// By chapter, in the order of BillChapter. Machines that bring their rack take no frame.
BillOfMaterials make_bill(const BillRequest& request);

}  // namespace clusterwright
