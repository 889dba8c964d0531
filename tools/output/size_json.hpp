// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/site/sizing/sized_cluster.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_context.hpp"

namespace clusterwright {

/// Document of `size`: `gpus`, `racks`, `switches`, `cables`, `it_kw`, `floor`, `bill`, `capex_usd` and so on, with
/// `schema_version`, tool, seed, inputs and scenario. `it_kw` and `facility_kw` are means; unknown values are null.
JsonValue size_to_json(const ResultContext& context, const SizedCluster& sized);

}  // namespace clusterwright
