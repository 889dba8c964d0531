// SPDX-License-Identifier: Apache-2.0
/// Sweep over a space of layouts: the exact memory of each, and a time that its step cannot beat.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "models/search/layout_costs.hpp"
#include "models/search/layout_space.hpp"

namespace clusterwright {

/// Layout that fits in memory.
struct Candidate {
  double bound = 0;  ///< seconds that its step takes at least
  std::size_t cluster = 0;
  Layout layout;
};

struct SweepCounts {
  std::int64_t evaluated = 0;  ///< layouts whose memory and least time were computed
  std::int64_t feasible = 0;   ///< those that fit
  std::int64_t short_of_memory = 0;
  bool complete = true;        ///< every layout of the space was looked at
  double least_memory_gb = 0;  ///< of the layout that came nearest to fitting; 0: none was looked at
  Layout leanest;              ///< that layout
};

class LayoutSweep {
 public:
  /// @param most  layouts after which the sweep ends, complete or not
  LayoutSweep(LayoutSpace& space, std::int64_t most);

  void run();
  const SweepCounts& counts() const { return counts_; }
  std::vector<Candidate>& candidates() { return candidates_; }
  LayoutCosts& costs(std::size_t cluster) { return *costs_[cluster]; }

 private:
  class Inner;

  LayoutSpace& space_;
  std::int64_t most_;
  SweepCounts counts_;
  std::vector<Candidate> candidates_;
  std::vector<std::unique_ptr<LayoutCosts>> costs_;  // by cluster of the space
};

}  // namespace clusterwright
