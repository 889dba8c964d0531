// SPDX-License-Identifier: Apache-2.0
/// Layouts with the lowest bounds, as many as are worth keeping of millions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "models/search/layout.hpp"

namespace clusterwright {

/// Layout that fits in memory.
struct Candidate {
  double bound = 0;         ///< value of the objective that it cannot beat
  std::size_t cluster = 0;  ///< number of its scenario in the space
  Layout layout;
};

/// Keeps the `most` candidates with the lowest bounds. Of equal bounds the first ones stay.
class CandidateHeap {
 public:
  explicit CandidateHeap(std::size_t most) : most_(most) {}

  /// Whether a candidate with this bound would be kept.
  bool takes(double bound) const { return kept_.size() < most_ || bound < kept_.front().bound; }
  void add(const Candidate& candidate);
  /// Counts layouts that are not looked at one by one, and have no lower bound than this, among those not kept.
  void pass_over(double bound) { lowest_dropped_ = std::min(lowest_dropped_, bound); }

  /// Lowest bound of those that were not kept; infinite if all were.
  double lowest_dropped() const { return lowest_dropped_; }
  /// The kept ones, lowest bound first. The heap is empty then.
  std::vector<Candidate> take();

 private:
  std::size_t most_;
  std::vector<Candidate> kept_;  // a heap with the highest bound in front
  double lowest_dropped_ = std::numeric_limits<double>::infinity();
};

}  // namespace clusterwright
