// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/json_value.hpp"

namespace clusterwright {

/// JSON text, members in their order; doubles in the shortest form that reads back the same.
/// @param indent  spaces per level, or -1 for one line
/// @throws std::logic_error for a number that is not finite: no result may carry one
std::string write_json(const JsonValue& value, int indent = 2);

/// The same with fewer lines: a list or object that fits into `columns` stands on one.
std::string write_folded_json(const JsonValue& value, std::size_t columns = 120);

}  // namespace clusterwright
