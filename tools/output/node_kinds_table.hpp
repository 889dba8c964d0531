// SPDX-License-Identifier: Apache-2.0
/// A step on nodes of several kinds, for readers and as JSON.
#pragma once

#include "models/prediction/mixed_use.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// One line for each kind: accelerators, time in kernels, memory, and the step on a machine of that kind alone.
ResultTable node_kinds_table(const MixedUse& use, Seconds step);

/// Member `node_kinds` of a step.
JsonValue node_kinds_json(const MixedUse& use);

}  // namespace clusterwright
