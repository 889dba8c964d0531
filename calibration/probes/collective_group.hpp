// SPDX-License-Identifier: Apache-2.0
#pragma once
// All ranks of this node, one process each; this one is rank 0 on the measured GPU.

#include "child_ranks.hpp"
#include "context.hpp"

namespace clusterwright::probes {

class CollectiveGroup {
 public:
  /// Starts and connects a rank per device of `others`; two buffers of `bytes` on every GPU.
  /// @throws NotPossible, SampleFailed; nothing stays behind then
  CollectiveGroup(Context& context, const std::vector<int>& others, std::size_t bytes);
  ~CollectiveGroup();
  CollectiveGroup(const CollectiveGroup&) = delete;
  CollectiveGroup& operator=(const CollectiveGroup&) = delete;

  /// Tells the others to enqueue, and enqueues here; both must be called, in this order.
  void announce(CollectiveOperation operation, std::size_t bytes, int launches);
  void enqueue(CollectiveOperation operation, std::size_t bytes) const { own_.enqueue(operation, bytes); }
  void require_alive() const { children_.require_alive(); }
  int ranks() const { return own_.ranks(); }

  /// Every operation once, at a small size. @throws SampleFailed
  void check(const Context& context);

  /// Ends what waits for a lost rank; later calls throw NotPossible.
  void abandon();
  void require_whole() const;

 private:
  void connect(Context& context);

  ChildRanks children_;
  CollectiveRank own_;
  bool broken_ = false;
};

}  // namespace clusterwright::probes
