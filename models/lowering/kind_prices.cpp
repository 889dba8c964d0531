// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/kind_prices.hpp"

#include "models/job/uniform_scenario.hpp"

namespace clusterwright {

KindPrices::KindPrices(const Scenario& s) {
  const int kinds = s.cluster.kinds();
  if (kinds == 1) {
    kinds_.push_back(std::make_unique<Kind>(s));
    return;
  }
  for (int kind = 0; kind < kinds; ++kind)
    kinds_.push_back(std::make_unique<Kind>(std::make_unique<Scenario>(uniform_scenario(s, kind))));
}

BytesPerSecond KindPrices::host_link(int kind) const {
  return host_link_bandwidth(scenario(kind).cluster, scenario(kind).parameters);
}

}  // namespace clusterwright
