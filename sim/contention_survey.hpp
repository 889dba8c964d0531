// SPDX-License-Identifier: Apache-2.0
/// Survey of the resources that can never meet contention, whatever runs at the same time.
///
/// A lane runs one op after the other, so the most that it ever asks of a resource is the largest demand of its ops. A
/// resource that holds the largest demands of all lanes together restrains no transfer. Example: a link of 100 GB/s
/// under three lanes that ask for at most 50, 30 and 20 GB/s is free; a fourth lane that asks for 1 GB/s makes it
/// contended.
#pragma once

#include <vector>

#include "sim/prepared_step.hpp"
#include "sim/work_times.hpp"

namespace clusterwright::engine {

class ContentionSurvey {
 public:
  explicit ContentionSurvey(const PreparedStep& step);

  /// Whether the memory of some rank can ever be asked for more than it has.
  bool memory_can_be_short(const WorkTimes& works) const;

  /// By ChainId: 1 for chains that cross only resources that hold the largest demands of all lanes. They always take
  /// their time alone, in one event, without capacity sharing.
  /// @pre !memory_can_be_short()
  std::vector<char> free_chains(const StepTiming& timing) const;

 private:
  struct LaneSurvey {
    std::vector<WorkId> works;    // of its ops, each once
    std::vector<ChainId> chains;  // of its rendezvous, each once; a rendezvous counts for the lane of its first op
  };

  template <class Visit>
  void for_each_use(const StepTiming& timing, ChainId chain, Visit visit) const;

  const StepStructure& structure_;
  IndexedVector<LaneId, LaneSurvey> lanes_;
};

}  // namespace clusterwright::engine
