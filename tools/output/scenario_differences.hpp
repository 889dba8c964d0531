// SPDX-License-Identifier: Apache-2.0
/// Fields in which scenarios differ, with every default written out.
#pragma once

#include <string>
#include <vector>

#include "sim/json_value.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

struct FieldDifference {
  std::string path;                 ///< "job.parallel.tensor"
  std::vector<std::string> values;  ///< JSON text in each scenario; empty where it lacks the field
};

/// In the order of the first scenario. Sources and notes beside a number do not count.
std::vector<FieldDifference> differences_of(const std::vector<JsonValue>& scenarios);

/// @param names  of the scenarios, as column titles
/// @param rows   at most; 0: all
ResultTable differences_table(const std::vector<FieldDifference>& differences, const std::vector<std::string>& names,
                              std::size_t rows);

JsonValue json_of(const std::vector<FieldDifference>& differences);

}  // namespace clusterwright
