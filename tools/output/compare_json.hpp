// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/json_value.hpp"
#include "tools/output/compare_answer.hpp"

namespace clusterwright {

/// Answer of `compare` for scripts: `options` with the keys of `run`, their ratios to the reference, and `differences`
/// of their fields.
JsonValue compare_to_json(const CompareAnswer& answer);

}  // namespace clusterwright
