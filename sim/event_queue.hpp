// SPDX-License-Identifier: Apache-2.0
/// Pending events of one replay: a radix heap over whole picoseconds.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/sim_time.hpp"

namespace clusterwright {

/// Monotone priority queue: nothing may be pushed before the last popped time. Events that wait for the same instant
/// leave in the order of their payloads (operator<), and of equal ones the oldest first; what is pushed at the present
/// instant leaves after them, in order of insertion.
///
/// Bucket b > 0 holds the times that differ from the last popped one first in bit b - 1. Redistribution keeps
/// insertion order, and equal times always share a bucket.
template <class Payload>
class EventQueue {
 public:
  struct Event {
    Picoseconds time;
    Payload payload;
  };

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  /// @pre time >= now()
  void push(Picoseconds time, Payload payload) {
    put({time, payload});
    ++size_;
  }

  /// Time of the last popped event.
  Picoseconds now() const { return last_; }

  /// Another event is due at now().
  bool more_now() const { return head_ != buckets_[0].size(); }

  /// Back to time zero, with nothing pending; memory is kept.
  void clear() {
    for (std::vector<Event>& bucket : buckets_) bucket.clear();
    occupied_ = 0;
    head_ = size_ = 0;
    last_ = {};
  }

  /// Removes the earliest event. @pre !empty()
  Event pop() {
    if (head_ == buckets_[0].size()) refill();
    --size_;
    return buckets_[0][head_++];
  }

 private:
  std::size_t bucket_of(Picoseconds time) const {
    const auto difference = static_cast<std::uint64_t>(time.count) ^ static_cast<std::uint64_t>(last_.count);
    return difference == 0 ? 0 : 64 - static_cast<std::size_t>(__builtin_clzll(difference));
  }

  void put(const Event& event) {
    const std::size_t bucket = bucket_of(event.time);
    buckets_[bucket].push_back(event);
    if (bucket > 0) occupied_ |= std::uint64_t{1} << (bucket - 1);
  }

  void refill() {
    buckets_[0].clear();
    head_ = 0;
    std::vector<Event>& nearest = buckets_[1 + static_cast<std::size_t>(__builtin_ctzll(occupied_))];
    occupied_ &= occupied_ - 1;
    if (nearest.size() == 1) {
      last_ = nearest.front().time;
      return nearest.swap(buckets_[0]);
    }
    spill_.swap(nearest);
    last_ = spill_.front().time;
    for (const Event& event : spill_)
      if (event.time < last_) last_ = event.time;
    for (const Event& event : spill_) put(event);
    spill_.clear();
    sort_ties();
  }

  void sort_ties() {
    std::vector<Event>& due = buckets_[0];
    const auto before = [](const Event& a, const Event& b) { return a.payload < b.payload; };
    if (!std::is_sorted(due.begin(), due.end(), before)) std::stable_sort(due.begin(), due.end(), before);
  }

  std::array<std::vector<Event>, 65> buckets_;
  std::uint64_t occupied_ = 0;  // bit b - 1: bucket b is not empty
  std::vector<Event> spill_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
  Picoseconds last_;
};

}  // namespace clusterwright
