// SPDX-License-Identifier: Apache-2.0
/// Switches that endpoints are cabled to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/graph/network_graph.hpp"

namespace clusterwright {

/// Endpoints grouped by the set of switches that working cables join them to. Routes to endpoints with the
/// same set differ only in their last link. Cables between two endpoints do not count.
class Attachments {
 public:
  /// A set of switches that some endpoint is cabled to.
  using SetId = Id<struct AttachmentSetTag>;

  struct Cable {
    LinkId up;      ///< from the endpoint to the switch
    VertexId over;  ///< the switch
  };

  explicit Attachments(const NetworkGraph& graph);

  std::size_t sets() const { return switches_.size(); }
  /// Switches of a set, at least one, in the order of their numbers.
  const std::vector<VertexId>& switches(SetId set) const { return switches_[set]; }
  /// None where no cable works.
  SetId set_of(VertexId endpoint) const { return set_of_[endpoint]; }
  /// Working cables of an endpoint, in the order of their links.
  std::span<const Cable> cables(VertexId endpoint) const {
    return {cables_.data() + cables_begin_[endpoint.value], cables_.data() + cables_begin_[endpoint.value + 1]};
  }

 private:
  std::vector<std::uint32_t> cables_begin_;  // length endpoints + 1
  std::vector<Cable> cables_;
  IndexedVector<VertexId, SetId> set_of_;  // by endpoint
  IndexedVector<SetId, std::vector<VertexId>> switches_;
};

}  // namespace clusterwright
