// SPDX-License-Identifier: Apache-2.0
#include "models/search/candidate_heap.hpp"

#include <algorithm>
#include <utility>

namespace clusterwright {

namespace {

bool has_lower_bound(const Candidate& a, const Candidate& b) {
  return a.bound != b.bound ? a.bound < b.bound : is_commoner(a.layout, b.layout);
}

}  // namespace

void CandidateHeap::add(const Candidate& candidate) {
  if (!takes(candidate.bound)) {
    lowest_dropped_ = std::min(lowest_dropped_, candidate.bound);
    return;
  }
  if (kept_.size() == most_) {
    std::pop_heap(kept_.begin(), kept_.end(), has_lower_bound);
    lowest_dropped_ = std::min(lowest_dropped_, kept_.back().bound);
    kept_.pop_back();
  }
  kept_.push_back(candidate);
  std::push_heap(kept_.begin(), kept_.end(), has_lower_bound);
}

std::vector<Candidate> CandidateHeap::take() {
  std::sort_heap(kept_.begin(), kept_.end(), has_lower_bound);
  return std::exchange(kept_, {});
}

}  // namespace clusterwright
