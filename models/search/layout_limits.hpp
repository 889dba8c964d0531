// SPDX-License-Identifier: Apache-2.0
/// What a user allows of the layouts of a search.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "models/job/job.hpp"

namespace clusterwright {

/// Allowed values of a number: a range, or a list.
struct NumberLimit {
  int least = 1;
  int most = std::numeric_limits<int>::max();
  std::vector<int> only;    ///< empty: all of the range
  bool impossible = false;  ///< two lists had nothing in common

  bool given() const { return least > 1 || most < std::numeric_limits<int>::max() || !only.empty(); }

  /// Whether a list asks for the value itself; a range does not.
  bool names(int value) const { return std::find(only.begin(), only.end(), value) != only.end(); }

  /// Narrows to what both allow.
  void narrow(const NumberLimit& other) {
    least = std::max(least, other.least);
    most = std::min(most, other.most);
    if (only.empty()) {
      only = other.only;
    } else if (!other.only.empty()) {
      std::erase_if(only, [&](int value) { return !other.allows(value); });
      impossible = impossible || only.empty();
    }
  }
  /// Whether no value is allowed.
  bool is_empty() const {
    if (impossible || least > most) return true;
    return !only.empty() && std::none_of(only.begin(), only.end(), [&](int value) { return allows(value); });
  }
  bool allows(int value) const {
    const bool listed = only.empty() || std::find(only.begin(), only.end(), value) != only.end();
    return listed && value >= least && value <= most;
  }
};

/// Allowed values of a choice; all at first. Those that somebody named are asked for, whatever the stack can run and
/// whether or not they do the same as others; those that are merely allowed are not.
template <class E, std::size_t count>
class ChoiceLimit {
 public:
  bool allows(E value) const { return !given_ || allowed_[index(value)]; }
  bool names(E value) const { return named_[index(value)]; }
  bool given() const { return given_; }
  void add(E value) {
    allow(value);
    named_[index(value)] = true;
  }
  void allow(E value) {
    given_ = true;
    allowed_[index(value)] = true;
  }
  /// Narrows to what both allow.
  void narrow(const ChoiceLimit& other) {
    if (!other.given_) return;
    for (std::size_t i = 0; i < count; ++i) {
      allowed_[i] = other.allowed_[i] && (!given_ || allowed_[i]);
      named_[i] = allowed_[i] && (named_[i] || other.named_[i]);
    }
    given_ = true;
  }
  /// Whether no value is allowed.
  bool is_empty() const {
    return given_ && std::none_of(allowed_.begin(), allowed_.end(), [](bool a) { return a; });
  }

 private:
  static std::size_t index(E value) { return static_cast<std::size_t>(value); }

  bool given_ = false;
  std::array<bool, count> allowed_{}, named_{};
};

/// Values that a search leaves out of a space that is too large for it, in this order.
enum class LeftOut { nothing, offloads, shard_groups, orders, odd_sizes, odd_groups, chunks };

struct LayoutLimits {
  NumberLimit tensor, context, expert, expert_tensor, pipeline, data, micro_batch, virtual_pipeline;
  ChoiceLimit<Recompute, 3> recompute;
  ChoiceLimit<Sharding, 6> sharding;
  ChoiceLimit<PipelineSchedule, 3> schedule;
  ChoiceLimit<RankOrder, 2> order;
  std::optional<int> recomputed_layers;
  std::optional<int> shard_group;
  ChoiceLimit<MemoryLevel, 4> offload_weights, offload_optimizer, offload_activations;
  std::optional<double> most_memory_gb;  ///< of the fullest rank; absent: that of the accelerator
  bool same_blocks = false;              ///< groups must fill the accelerators that the scenario uses of each domain
  bool sharded_stages = true;     ///< weights may be sharded under several pipeline stages too, if sharding says so
  bool keep_offloads = false;     ///< offload to the host is not left out of a large space
  bool keep_small_sizes = false;  ///< micro-batches of 3, 5, 6 and 7 sequences are not left out of a large space
  bool partly_recomputed = true;  ///< full recomputation may repeat some layers of a stage only
};

}  // namespace clusterwright
