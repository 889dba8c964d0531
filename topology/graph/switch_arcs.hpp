// SPDX-License-Identifier: Apache-2.0
/// Switches of a network and the links between them, with parallel cables as one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/graph/network_graph.hpp"

namespace clusterwright {

/// Working links between switches. Switches are numbered from 0: vertex - endpoints.
class SwitchArcs {
 public:
  struct Arc {
    std::uint32_t to = 0;
    BytesPerSecond capacity;  ///< sum over parallel cables, one direction
  };

  explicit SwitchArcs(const NetworkGraph& graph);

  std::uint32_t switches() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  std::size_t size() const { return arcs_.size(); }
  std::span<const Arc> leaving(std::uint32_t v) const {
    return {arcs_.data() + begin_[v], arcs_.data() + begin_[v + 1]};
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<Arc> arcs_;  ///< grouped by switch, ordered by head
};

}  // namespace clusterwright
