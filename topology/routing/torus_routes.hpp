// SPDX-License-Identifier: Apache-2.0
/// Routes of a torus or mesh from coordinates alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "topology/routing/routes.hpp"

namespace clusterwright {

/// Shortest paths along the first side first, then the second, then the third (dimension order). On a ring of even side
/// both ways round are shortest to the router opposite.
class TorusRoutes final : public Routes {
 public:
  /// Nothing unless the switches of `graph` are the routers of that torus, the first coordinate running fastest, each
  /// with all its neighbours; every endpoint is on exactly one of them; and every cable works.
  static std::unique_ptr<TorusRoutes> recognise(const NetworkGraph& graph, const std::vector<int>& sides);

  int hops(VertexId from, VertexId to) const override;
  void next_links(VertexId at, VertexId to, std::vector<LinkId>& out) const override;

 private:
  /// A cable to a neighbour: 2 * side for one step up, 2 * side + 1 for one step down.
  struct Step {
    LinkId link;
    std::uint32_t way = 0;
  };

  TorusRoutes(const NetworkGraph& graph, std::vector<int> sides);
  bool attach_endpoints(const NetworkGraph& graph);
  bool find_steps(const NetworkGraph& graph);
  bool add_step(const NetworkGraph& graph, std::size_t router, LinkId link);
  bool has_all_neighbours(std::size_t router) const;
  std::size_t dimensions() const { return sides_.size(); }
  int coordinate(std::size_t router, std::size_t side) const { return coordinates_[router * dimensions() + side]; }
  std::size_t router_of(VertexId v) const;
  int distance(std::size_t side, int from, int to) const;
  bool leads_nearer(std::uint32_t way, std::size_t at, std::size_t to) const;

  std::vector<int> sides_;
  std::vector<bool> wraps_;  // by side: the cable from its last router to its first
  std::size_t endpoints_ = 0;
  std::vector<int> coordinates_;                   // [router][side]
  IndexedVector<VertexId, std::uint32_t> router_;  // by endpoint
  std::vector<LinkId> up_;                         // by endpoint: its cables, in the order of their numbers
  std::vector<std::uint32_t> up_begin_;
  std::vector<Step> steps_;  // by router, in the order of their numbers
  std::vector<std::uint32_t> steps_begin_;
};

}  // namespace clusterwright
