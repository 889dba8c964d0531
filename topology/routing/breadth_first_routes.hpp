// SPDX-License-Identifier: Apache-2.0
/// Routes of any graph from a table of distances.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "topology/routing/attachments.hpp"
#include "topology/routing/routes.hpp"

namespace clusterwright {

/// Breadth-first search from 64 attachments at once, one bit of a word for each. Endpoints pass nothing on.
///
/// distance_: [attachment set][switch], so that the row of one destination is contiguous: links inside groups, plus
/// crossing_ for each link between groups. `Distance` is one byte, or two where that cannot hold the longest path.
template <typename Distance>
class BreadthFirstRoutes final : public Routes {
 public:
  /// @return nullptr where a path is too long for `Distance`
  static std::unique_ptr<BreadthFirstRoutes> make(const NetworkGraph& graph, std::span<const int> groups);

  int hops(VertexId from, VertexId to) const override;
  void next_links(VertexId at, VertexId to, std::vector<LinkId>& out) const override;
  std::uint32_t family(VertexId to) const override;

 private:
  class Search;
  static constexpr Distance unreached = static_cast<Distance>(-1);

  BreadthFirstRoutes(const NetworkGraph& graph, std::span<const int> groups);
  /// Number of a switch among the switches.
  std::uint32_t number_of(VertexId v) const { return v.value - static_cast<std::uint32_t>(endpoints_); }
  const Distance* row(VertexId to) const;
  void find_families(std::span<const int> groups);
  bool enter_from(std::uint32_t s, VertexId to, std::vector<LinkId>& out) const;
  Distance nearest(VertexId endpoint, const Distance* row) const;

  std::size_t endpoints_;
  std::size_t switches_;
  Attachments attachments_;
  std::vector<std::uint32_t> begin_;      // length switches + 1: working links to other switches
  std::vector<LinkId> link_;              // grouped by the switch that they leave
  std::vector<std::uint32_t> neighbour_;  // by link_: number of the switch at its end
  std::vector<Distance> length_;          // by link_: 1 or crossing_
  Distance crossing_;  // length of a link between groups: more than all links inside groups on any path
  std::vector<Distance> distance_;
  IndexedVector<Attachments::SetId, Attachments::SetId> family_;  // first set of the same family
};

}  // namespace clusterwright
