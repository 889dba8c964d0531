/// Where endpoints meet switches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/graph/network_graph.hpp"

namespace clusterwright {

/// Endpoints by the set of switches that they are cabled to, as far as the cables work: routes to endpoints with the
/// same set differ in their last link only. Cables between two endpoints do not count.
class Attachments {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  struct Cable {
    LinkId up = 0;      ///< from the endpoint to the switch
    VertexId over = 0;  ///< the switch
  };

  explicit Attachments(const NetworkGraph& graph);

  std::size_t sets() const { return switches_.size(); }
  /// At least one switch, in the order of their numbers.
  const std::vector<VertexId>& switches(std::uint32_t set) const { return switches_[set]; }
  /// `none` where no cable works.
  std::uint32_t set_of(VertexId endpoint) const { return set_of_[endpoint]; }
  /// Working ones, in the order of their links.
  std::span<const Cable> cables(VertexId endpoint) const {
    return {cables_.data() + cables_begin_[endpoint], cables_.data() + cables_begin_[endpoint + 1]};
  }

 private:
  std::vector<std::uint32_t> cables_begin_;  // length endpoints + 1
  std::vector<Cable> cables_;
  std::vector<std::uint32_t> set_of_;
  std::vector<std::vector<VertexId>> switches_;
};

}  // namespace clusterwright
