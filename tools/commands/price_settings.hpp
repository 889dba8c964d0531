// SPDX-License-Identifier: Apache-2.0
/// Settings of prices on the command line, for commands that price something before they open a scenario.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario_source.hpp"
#include "sim/json_value.hpp"

namespace clusterwright {

/// Whether a --set is of the price list: "prices.years=4".
bool sets_prices(const std::string& setting);

/// Document with the settings of prices applied to its list, and that list filled in from the one that it extends.
/// @param document  of a scenario, or an object that may hold "prices"
/// @throws ConfigError as --set
JsonValue with_price_settings(JsonValue document, const std::vector<std::string>& settings,
                              std::vector<InputFile>& inputs);

}  // namespace clusterwright
