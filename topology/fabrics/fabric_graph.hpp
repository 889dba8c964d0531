/// A fat tree with every node, switch and link: counts, and max-flow as an independent check of the symbolic tree.
#pragma once

#include <cstddef>
#include <vector>

#include "topology/fabrics/fabric_tiers.hpp"

namespace clusterwright {

struct FabricGraphSpec {
  int accelerators = 0;
  int accelerators_per_node = 8;
  int rails = 8;                 ///< NICs of a node; each rail is a plane of switches of its own
  BytesPerSecond nic_bandwidth;  ///< one direction
};

/// Each group of a tier has one switch per rail, which stands for the switches that a vendor would take for it. Memory
/// grows with the number of links: for fabrics of some thousand nodes at most.
class FabricGraph {
 public:
  /// @throws std::invalid_argument for less than one node or rail, or accelerators that do not fill their nodes
  FabricGraph(const FabricTiers& fabric, const FabricGraphSpec& spec);

  int nodes() const { return nodes_; }
  std::size_t switches() const { return switches_; }
  std::size_t links() const { return links_.size(); }

  /// The most that the marked nodes can send to the others at once, one direction.
  /// @throws std::invalid_argument unless `sends` has one entry per node
  BytesPerSecond max_flow(const std::vector<bool>& sends) const;

  /// max_flow of the lower half of the nodes; of an odd number the upper half is larger.
  BytesPerSecond bisection() const;

 private:
  /// Full duplex, between vertices: nodes first, then switches.
  struct Link {
    std::size_t lower = 0;
    std::size_t upper = 0;
    BytesPerSecond capacity;
  };

  void connect_rail(const FabricTiers& fabric, const FabricGraphSpec& spec);

  int nodes_ = 0;
  std::size_t switches_ = 0;
  std::vector<Link> links_;
};

}  // namespace clusterwright
