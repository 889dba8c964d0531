// SPDX-License-Identifier: Apache-2.0
/// Candidates that wait for their replay: what has the lowest bound, and what promises most.
#pragma once

#include <cstddef>
#include <map>
#include <tuple>
#include <vector>

#include "models/search/candidate_heap.hpp"

namespace clusterwright {

/// Schedule, sharding, where weights, optimizer states and activations are kept, and whether experts are shared.
using LoosenessClass = std::tuple<PipelineSchedule, Sharding, MemoryLevel, MemoryLevel, MemoryLevel, bool>;

/// The lowest bound is in front; of equal bounds the first of the sweep. Replays teach how far steps of a class of
/// layouts are above their bounds, and a bound times that is what a candidate promises.
class ReplayQueue {
 public:
  struct Entry {
    Candidate candidate;
    std::size_t number = 0;
    bool sharp = false;  ///< its bound counts power limits
    bool taken = false;  ///< replayed, though still in the heap

    bool operator<(const Entry& other) const {
      return candidate.bound != other.candidate.bound ? candidate.bound > other.candidate.bound : number > other.number;
    }
  };

  /// @param candidates  in the order of the sweep
  explicit ReplayQueue(const std::vector<Candidate>& candidates);

  /// Lowest bound; infinite if none is left.
  double lowest();
  /// Takes out the entry with the lowest bound. @pre lowest() is finite
  Entry pop();
  void push(const Entry& entry);
  /// Leaves out a layout that was replayed before.
  void leave_out(const Layout& layout);

  /// Learns from a replay. @param value  of the objective
  void learn(const Candidate& candidate, double value);
  /// Entry that promises most, valid until the next push or pop; nullptr if none is left.
  Entry* most_promising();

 private:
  struct Ratio {
    double sum = 0;
    int count = 0;
    double mean() const { return sum / count; }
  };

  void drop_taken();

  std::vector<Entry> heap_;
  std::map<LoosenessClass, Ratio> ratios_;
};

}  // namespace clusterwright
