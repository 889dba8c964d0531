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
/// Verdict by the total. Where the capacity lies within the interval of the total, the sentence says so and that it may
/// fit.
/// @param residual  that of the job's stack
/// @param nodes  name of the kind of nodes of that rank; empty where all nodes are alike
MemoryVerdict judge_memory(const MemoryUse& use, Bytes capacity, int stages, double residual,
                           const std::string& nodes = {});

/// Sentence on the first level that is too small and its contents; empty if all fit.
std::string level_verdict(const std::vector<LevelUse>& uses);

}  // namespace clusterwright
