// SPDX-License-Identifier: Apache-2.0
/// Price lists in files: what one leaves out, another says.
#pragma once

#include <vector>

#include "models/job/price_list.hpp"
#include "models/job/scenario.hpp"
#include "models/job/scenario_source.hpp"

namespace clusterwright {

/// The list with everything that the one in configs/prices named by "like" ("default" if absent) says beyond it: prices
/// of parts one by one, the price of the building only where the list gives none of its own. Values keep the places
/// where they were written. What is no object stays as it is.
/// @throws ConfigError E0203 for a name that configs/prices has not, E0501 for lists that go round in circles
JsonValue filled_in_prices(JsonValue prices, const ReferenceReader& read);

/// The prices of a scenario, as `Scenario::source` holds it; configs/prices/default.json where it names none.
/// @throws ConfigError with every error found
PriceList load_prices(const JsonValue& scenario, const Catalog& catalog, std::vector<InputFile>& inputs);

}  // namespace clusterwright
