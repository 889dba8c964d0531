// SPDX-License-Identifier: Apache-2.0
/// Price lists for tests.
#pragma once

#include <string>

#include "models/job/price_list.hpp"
#include "support/small_scenario.hpp"

namespace clusterwright::testing {

/// A file of configs/prices that leaves nothing to another.
inline PriceList shipped_prices(const std::string& name) {
  const std::filesystem::path folder = std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "prices";
  return decode_record<PriceList>(read_json_file(folder / (name + ".json")));
}

/// A free building, always in use, no interest, nobody to pay.
inline PriceList plain_prices(double usd_per_kwh, double years) {
  PriceList prices;
  prices.electricity = Sourced<DollarsPerJoule>{usd_per_kwh * dollar / kilowatt_hour};
  prices.years = Sourced<double>{years};
  prices.facility_per_node = Sourced<Dollars>{};
  return prices;
}

}  // namespace clusterwright::testing
