// SPDX-License-Identifier: Apache-2.0
/// Next completion of everything that is under way: a 4-ary heap in which a time can be changed in place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace clusterwright {

/// At most one time per key; keys are small integers. @tparam Time  ordered value
template <class Time>
class CompletionHeap {
 public:
  bool empty() const { return nodes_.empty(); }
  std::size_t size() const { return nodes_.size(); }

  /// Earliest time. @pre !empty()
  Time first() const { return nodes_.front().time; }

  /// Adds `key`, or moves it to another time.
  void set(std::uint32_t key, Time time) {
    if (key >= places_.size()) places_.resize(key + 1, absent);
    if (places_[key] == absent) {
      places_[key] = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({time, key});
      rise(nodes_.size() - 1);
    } else {
      const std::size_t place = places_[key];
      const bool earlier = time < nodes_[place].time;
      nodes_[place].time = time;
      earlier ? rise(place) : sink(place);
    }
  }

  /// Removes all keys that have the earliest time, and appends them to `keys` in ascending order. @pre !empty()
  void take_first(std::vector<std::uint32_t>& keys) {
    const std::size_t before = keys.size();
    find_first();
    if (firsts_.size() > nodes_.size() / 8)
      rebuild_without_first();
    else
      for (std::size_t i = firsts_.size(); i > 0; --i) erase(places_[firsts_[i - 1]]);
    keys.insert(keys.end(), firsts_.begin(), firsts_.end());
    const auto taken = keys.begin() + static_cast<std::ptrdiff_t>(before);
    if (!std::is_sorted(taken, keys.end())) std::sort(taken, keys.end());
  }

 private:
  static constexpr std::size_t fan_out = 4;
  static constexpr std::uint32_t absent = ~0u;

  struct Node {
    Time time;
    std::uint32_t key;
  };

  /// Equal times at the top form one tree, which `firsts_` lists level by level: parents before children.
  void find_first() {
    const Time time = nodes_.front().time;
    firsts_.assign(1, nodes_.front().key);
    for (std::size_t i = 0; i < firsts_.size(); ++i) {
      const std::size_t child = std::size_t{places_[firsts_[i]]} * fan_out + 1;
      for (std::size_t k = child; k < std::min(child + fan_out, nodes_.size()); ++k)
        if (nodes_[k].time == time) firsts_.push_back(nodes_[k].key);
    }
  }

  void rebuild_without_first() {
    const Time time = nodes_.front().time;
    for (const std::uint32_t key : firsts_) places_[key] = absent;
    std::erase_if(nodes_, [&](const Node& node) { return node.time == time; });
    for (std::uint32_t place = 0; place < nodes_.size(); ++place) places_[nodes_[place].key] = place;
    for (std::size_t place = nodes_.size() / fan_out + 1; place > 0; --place)
      if (place <= nodes_.size()) sink(place - 1);
  }

  void erase(std::size_t place) {
    places_[nodes_[place].key] = absent;
    const Node last = nodes_.back();
    nodes_.pop_back();
    if (place == nodes_.size()) return;
    put(place, last);
    sink(place);
    rise(place);
  }

  void put(std::size_t place, const Node& node) {
    nodes_[place] = node;
    places_[node.key] = static_cast<std::uint32_t>(place);
  }

  void rise(std::size_t place) {
    const Node node = nodes_[place];
    while (place > 0 && node.time < nodes_[(place - 1) / fan_out].time) {
      put(place, nodes_[(place - 1) / fan_out]);
      place = (place - 1) / fan_out;
    }
    put(place, node);
  }

  void sink(std::size_t place) {
    const Node node = nodes_[place];
    for (std::size_t child = place * fan_out + 1; child < nodes_.size(); child = place * fan_out + 1) {
      std::size_t least = child;
      for (std::size_t k = child + 1; k < std::min(child + fan_out, nodes_.size()); ++k)
        if (nodes_[k].time < nodes_[least].time) least = k;
      if (!(nodes_[least].time < node.time)) break;
      put(place, nodes_[least]);
      place = least;
    }
    put(place, node);
  }

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> places_;  // by key
  std::vector<std::uint32_t> firsts_;  // keys with the earliest time
};

}  // namespace clusterwright
