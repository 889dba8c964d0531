// SPDX-License-Identifier: Apache-2.0
/// Sentences on whether a job fits in memory, with the rank or place and what fills it.
#pragma once

#include <string>
#include <vector>

#include "models/memory/memory_levels.hpp"
#include "models/memory/memory_use.hpp"

namespace clusterwright {

/// Whether the fullest stage fits, and a sentence with rank and kind.
struct MemoryVerdict {
  bool fits = false;
  std::string sentence;
};
/// @param nodes  name of the kind of nodes of that rank; empty where all nodes are alike
MemoryVerdict judge_memory(const MemoryUse& use, Bytes capacity, int stages, const std::string& nodes = {});

/// Sentence on the first level that is too small and its contents; empty if all fit.
std::string level_verdict(const std::vector<LevelUse>& uses);

}  // namespace clusterwright
