// SPDX-License-Identifier: Apache-2.0
/// Stores that a job reads from or writes to, against what its nodes and cluster have.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"

namespace clusterwright {

/// Contradiction between fields of a scenario, before its places are looked up.
struct Contradiction {
  std::string code;
  std::string message;
  std::vector<std::string> pointers;  ///< fields; those that the scenario lacks have no place
  std::string help;
};

/// Checks the stores that a job reads, writes and keeps tensors in.
///
/// E0327 the size of the data is missing or given twice; E0328 a required rate or number is not known
std::vector<Contradiction> check_stores(const Scenario& scenario);

}  // namespace clusterwright
