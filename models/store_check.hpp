/// Stores that a job reads from or writes to, against what its nodes and cluster have.
#pragma once

#include <string>
#include <vector>

#include "models/scenario.hpp"

namespace clusterwright {

/// A contradiction between fields of a scenario, before its places are looked up.
struct Contradiction {
  std::string code;
  std::string message;
  std::vector<std::string> pointers;  ///< those that are not in the scenario have no place
  std::string help;
};

/// E0327 what is read is not given, or given twice; E0328 a rate or number that it needs is not known
std::vector<Contradiction> check_input(const Scenario& scenario);

}  // namespace clusterwright
