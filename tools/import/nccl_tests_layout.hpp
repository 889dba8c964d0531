// SPDX-License-Identifier: Apache-2.0
/// Where the ranks of a run of nccl-tests were.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/import/nccl_tests_run.hpp"

namespace clusterwright {

/// Zero and empty are "not known": the log lists no devices, or not all of them.
struct NcclTestsLayout {
  std::int64_t ranks = 0;
  std::int64_t nodes = 0;
  std::int64_t processes = 0;
  std::int64_t groups = 1;      ///< that ran at once
  std::int64_t not_listed = 0;  ///< ranks that the log leaves out
  std::string gpu;

  std::int64_t ranks_of_node() const { return nodes > 0 ? ranks / nodes : 0; }
};

/// @param errors  E0340 is added where a rank is listed twice, GPUs differ, or nodes have different numbers of ranks
NcclTestsLayout nccl_tests_layout(const NcclTestsRun& run, std::vector<Diagnostic>& errors);

}  // namespace clusterwright
