// SPDX-License-Identifier: Apache-2.0
/// Answer of `search` for scripts.
#pragma once

#include "sim/json_value.hpp"
#include "tools/output/search_answer.hpp"

namespace clusterwright {

JsonValue search_to_json(const SearchAnswer& answer);

}  // namespace clusterwright
