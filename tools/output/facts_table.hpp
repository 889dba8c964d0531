// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/json_value.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// The value of a field: bare, or inside {"value", "source"}; nothing for null, absent (nullptr) and nested values.
Cell fact_cell(const JsonValue* field);

/// Every value of a document on a line of its own, with the source that stands beside it.
ResultTable facts_table(const JsonValue& document);

}  // namespace clusterwright
