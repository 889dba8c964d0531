// SPDX-License-Identifier: Apache-2.0
/// A pass, laid out for replays, in segments between gates.
///
/// A gate is a kernel that starts after every op before it has ended, and before every op behind it: all that comes
/// before is upstream of it, and all that comes behind is downstream. So when a gate starts, nothing else of the pass
/// is under way, and what follows depends on nothing that was before. Segments begin with a gate and last to the start
/// of the next one; the last one is the last kernel by itself.
///
/// Example: kernels A B C D in order, a collective that waits for A, and D that waits for the collective. A and D are
/// gates; B and C are none, since the collective may run beside them.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/step_graph.hpp"

namespace clusterwright {

class PassShape {
 public:
  /// @throws std::logic_error if the first or the last op is no gate
  explicit PassShape(const PassTemplate& pass);

  struct Op {
    WorkId work;
    ChargeId charge;
    std::uint32_t lane = 0;
    std::uint32_t collective = PassOp::kernel;
    std::uint32_t waits = 0;            ///< predecessors inside the segment, the one before on the lane included
    std::uint32_t waits_at_gate = 0;    ///< of a gate: predecessors in the segment before
    std::uint32_t successor_begin = 0;  ///< in `successors`
    bool is_kernel() const { return collective == PassOp::kernel; }
  };

  std::size_t size() const { return ops.size() - 1; }
  std::size_t segments() const { return gates.size() - 1; }

  std::vector<Op> ops;                    ///< and one more, for the end of the last op's successors
  std::vector<std::uint32_t> successors;  ///< explicit ones, then the next one on the lane
  std::vector<std::uint32_t> gates;       ///< first op of each segment, and the number of ops
  std::vector<std::uint32_t> like;        ///< by segment: the first one that does the same, as layers do
  std::uint32_t lanes = 1;

 private:
  using Edge = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<Edge> edges(const PassTemplate& pass) const;
  void find_gates(const std::vector<Edge>& edges);
  void find_like_segments();
  bool alike(std::uint32_t one, std::uint32_t other) const;
  bool successors_alike(std::uint32_t one, std::uint32_t other, std::uint32_t distance, std::uint32_t end) const;
};

/// Places of the gates among ops in the order of issue. @param edges  before, after; each goes forward
std::vector<std::uint32_t> gates_of(const std::vector<char>& is_kernel,
                                    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges);

}  // namespace clusterwright
