// SPDX-License-Identifier: Apache-2.0
/// Output of `show`.
#pragma once

#include <string>
#include <vector>

#include "sim/json_value.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// Content of a file with its defaults filled in: as data, and as tables under a heading.
struct Shown {
  std::string heading;
  JsonValue json;
  std::vector<ResultTable> tables;  ///< a spreadsheet gets the last one
  std::string dot;                  ///< graph for Graphviz; empty unless requested
};

}  // namespace clusterwright
