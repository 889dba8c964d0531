// SPDX-License-Identifier: Apache-2.0
/// What `show` prints.
#pragma once

#include <string>
#include <vector>

#include "sim/json_value.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// What a file says once defaults are filled in: as data, and as tables under a heading.
struct Shown {
  std::string heading;
  JsonValue json;
  std::vector<ResultTable> tables;  ///< a spreadsheet gets the last one
  std::string dot;                  ///< for Graphviz; empty where not asked for
};

}  // namespace clusterwright
