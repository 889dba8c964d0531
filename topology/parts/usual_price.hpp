// SPDX-License-Identifier: Apache-2.0
/// One price of a part whose catalog entry has a list price, a range, or both.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "sim/sourced.hpp"

namespace clusterwright {

/// List price, or middle of low and high; nothing where neither is known.
std::optional<double> usual_price_usd(const std::map<std::string, Sourced<double>>& price_usd);

}  // namespace clusterwright
