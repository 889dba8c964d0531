// SPDX-License-Identifier: Apache-2.0
/// Cost of a cluster as JSON.
#pragma once

#include "models/site/sizing/cost_report.hpp"
#include "sim/json_value.hpp"

namespace clusterwright {

/// Member "cost" of the document of `size`.
JsonValue cost_to_json(const CostReport& cost);

}  // namespace clusterwright
