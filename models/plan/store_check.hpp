// SPDX-License-Identifier: Apache-2.0
/// Stores that a job reads from or writes to, against what its nodes and cluster have.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"

namespace clusterwright {

/// A contradiction between fields of a scenario, before its places are looked up.
struct Contradiction {
  std::string code;
  std::string message;
  std::vector<std::string> pointers;  ///< those that are not in the scenario have no place
  std::string help;
};

/// What a job reads, writes and keeps beyond its accelerators.
///
/// E0327 what is read is not given, or given twice; E0328 a rate or number that is needed is not known
std::vector<Contradiction> check_stores(const Scenario& scenario);

}  // namespace clusterwright
