// SPDX-License-Identifier: Apache-2.0
#include "models/search/replay_queue.hpp"

#include <algorithm>
#include <limits>

namespace clusterwright {

namespace {

/// Layouts whose bounds are loose in the same way: what a bound does not see depends on these fields.
LoosenessClass class_of(const Layout& l) {
  return {l.schedule, l.sharding, l.offload.weights, l.offload.optimizer, l.offload.activations, l.expert > 1};
}

}  // namespace

ReplayQueue::ReplayQueue(const std::vector<Candidate>& candidates) {
  for (std::size_t i = 0; i < candidates.size(); ++i) heap_.push_back({candidates[i], i, false, false});
  std::make_heap(heap_.begin(), heap_.end());
}

void ReplayQueue::drop_taken() {
  while (!heap_.empty() && heap_.front().taken) pop();
}

double ReplayQueue::lowest() {
  drop_taken();
  return heap_.empty() ? std::numeric_limits<double>::infinity() : heap_.front().candidate.bound;
}

ReplayQueue::Entry ReplayQueue::pop() {
  std::pop_heap(heap_.begin(), heap_.end());
  const Entry out = heap_.back();
  heap_.pop_back();
  return out;
}

void ReplayQueue::push(const Entry& entry) {
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end());
}

void ReplayQueue::leave_out(const Layout& layout) {
  for (Entry& entry : heap_) entry.taken = entry.taken || entry.candidate.layout == layout;
}

void ReplayQueue::learn(const Candidate& candidate, double value) {
  if (candidate.bound <= 0) return;
  Ratio& ratio = ratios_[class_of(candidate.layout)];
  ratio.sum += value / candidate.bound;
  ++ratio.count;
}

ReplayQueue::Entry* ReplayQueue::most_promising() {
  Entry* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (Entry& entry : heap_) {
    if (entry.taken) continue;
    const auto ratio = ratios_.find(class_of(entry.candidate.layout));
    const double promise = entry.candidate.bound * (ratio == ratios_.end() ? 1 : ratio->second.mean());
    if (promise >= least) continue;
    best = &entry;
    least = promise;
  }
  return best;
}

}  // namespace clusterwright
