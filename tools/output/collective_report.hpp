// SPDX-License-Identifier: Apache-2.0
/// Predicted collectives as tables, JSON, and lines of nccl-tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/kernels/collectives/predict_collective.hpp"
#include "sim/json_value.hpp"
#include "tools/output/result_table.hpp"

namespace clusterwright {

/// Link, named by its ends, and its load.
struct NamedLink {
  std::string name;
  std::string kind;
  double share = 0;  ///< time that the link is busy over that of the busiest link
};

struct CollectiveReport {
  CollectiveOp op = CollectiveOp::all_reduce;
  int ranks = 0;
  int groups = 1;
  int nodes = 1;
  std::string cluster;
  std::string accelerator;
  std::string placement;
  std::vector<std::string> warnings;  ///< sentences about idle accelerators and parts that slow each other
  std::string parameters;             ///< name of the set
  std::vector<CollectiveAnswer> rows;
  std::vector<NamedLink> busiest;         ///< busiest links at the largest size
  std::optional<double> over_contiguous;  ///< time over the time on contiguous nodes, at the largest size
  std::vector<Seconds> usual_times;  ///< times of the rows with the default parameters, if other parameters were named
};

/// One line for each size, in the columns of nccl-tests, then interval and choice.
ResultTable collective_table(const CollectiveReport& report);
ResultTable busiest_table(const CollectiveReport& report);
/// "all_reduce over 1,024 x H100-SXM on 128 nodes of DGX H100 SuperPOD".
std::string collective_title(const CollectiveReport& report);
/// Rows and links, to be put behind a header.
void add_to(JsonValue& document, const CollectiveReport& report);
/// Exactly the columns that nccl-tests prints, so that a diff with a real log is a diff.
std::string nccl_tests_columns(const CollectiveReport& report);

}  // namespace clusterwright
