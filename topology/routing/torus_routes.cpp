// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/torus_routes.hpp"

#include <algorithm>
#include <cstdlib>

namespace clusterwright {

namespace {

bool may_be_torus(const NetworkGraph& graph, const std::vector<int>& sides) {
  std::size_t routers = 1;
  for (const int side : sides) {
    if (side < 1) return false;
    routers *= static_cast<std::size_t>(side);
  }
  if (sides.empty() || routers != graph.switches()) return false;
  for (const LinkId link : graph.cable_ids())
    if (!graph.works(link)) return false;
  return true;
}

}  // namespace

std::unique_ptr<TorusRoutes> TorusRoutes::recognise(const NetworkGraph& graph, const std::vector<int>& sides) {
  if (!may_be_torus(graph, sides)) return nullptr;
  std::unique_ptr<TorusRoutes> routes(new TorusRoutes(graph, sides));
  return routes->attach_endpoints(graph) && routes->find_steps(graph) ? std::move(routes) : nullptr;
}

TorusRoutes::TorusRoutes(const NetworkGraph& graph, std::vector<int> sides)
    : sides_(std::move(sides)),
      wraps_(sides_.size(), false),
      endpoints_(graph.endpoints()),
      coordinates_(graph.switches() * sides_.size()) {
  for (std::size_t router = 0; router < graph.switches(); ++router) {
    std::size_t rest = router;
    for (std::size_t side = 0; side < dimensions(); ++side) {
      const auto length = static_cast<std::size_t>(sides_[side]);
      coordinates_[router * dimensions() + side] = static_cast<int>(rest % length);
      rest /= length;
    }
  }
}

bool TorusRoutes::attach_endpoints(const NetworkGraph& graph) {
  up_begin_.push_back(0);
  for (const VertexId endpoint : graph.endpoint_ids()) {
    const auto cables = graph.leaving(endpoint);
    if (cables.empty()) return false;
    const VertexId over = graph.to(cables.front());
    const auto same = [&](LinkId link) { return graph.to(link) == over; };
    if (graph.is_endpoint(over) || !std::all_of(cables.begin(), cables.end(), same)) return false;
    router_.push_back(graph.switch_number(over));
    up_.insert(up_.end(), cables.begin(), cables.end());
    up_begin_.push_back(static_cast<std::uint32_t>(up_.size()));
  }
  return true;
}

bool TorusRoutes::find_steps(const NetworkGraph& graph) {
  steps_begin_.push_back(0);
  for (std::size_t router = 0; router < graph.switches(); ++router) {
    for (const LinkId link : graph.leaving(graph.switch_at(router)))
      if (!graph.is_endpoint(graph.to(link)) && !add_step(graph, router, link)) return false;
    steps_begin_.push_back(static_cast<std::uint32_t>(steps_.size()));
  }
  for (std::size_t router = 0; router < graph.switches(); ++router)
    if (!has_all_neighbours(router)) return false;
  return true;
}

/// Whether `link` leads one step along one side; it may close a ring of three routers or more.
bool TorusRoutes::add_step(const NetworkGraph& graph, std::size_t router, LinkId link) {
  const std::size_t other = graph.switch_number(graph.to(link));
  std::size_t steps = 0;
  for (std::size_t side = 0; side < dimensions(); ++side) {
    const int difference = coordinate(other, side) - coordinate(router, side);
    if (difference == 0) continue;
    const bool closes = sides_[side] > 2 && std::abs(difference) == sides_[side] - 1;
    if (std::abs(difference) != 1 && !closes) return false;
    if (closes) wraps_[side] = true;
    const bool up = (difference > 0) != closes;
    steps_.push_back({link, static_cast<std::uint32_t>(2 * side + (up ? 0 : 1))});
    ++steps;
  }
  return steps == 1;
}

bool TorusRoutes::has_all_neighbours(std::size_t router) const {
  for (std::uint32_t way = 0; way < 2 * dimensions(); ++way) {
    const std::size_t side = way / 2;
    const int at = coordinate(router, side);
    const bool at_end = at == (way % 2 == 0 ? sides_[side] - 1 : 0);
    if (at_end && !wraps_[side]) continue;
    const auto begin = steps_.begin() + steps_begin_[router];
    const auto end = steps_.begin() + steps_begin_[router + 1];
    if (std::none_of(begin, end, [&](const Step& step) { return step.way == way; })) return false;
  }
  return true;
}

std::size_t TorusRoutes::router_of(VertexId v) const {
  return v.value < endpoints_ ? router_[v] : v.value - endpoints_;
}

int TorusRoutes::distance(std::size_t side, int from, int to) const {
  const int straight = std::abs(to - from);
  return wraps_[side] ? std::min(straight, sides_[side] - straight) : straight;
}

int TorusRoutes::hops(VertexId from, VertexId to) const {
  if (from == to) return 0;
  const std::size_t a = router_of(from);
  const std::size_t b = router_of(to);
  int links = from.value < endpoints_ ? 2 : 1;
  for (std::size_t side = 0; side < dimensions(); ++side)
    links += distance(side, coordinate(a, side), coordinate(b, side));
  return links;
}

bool TorusRoutes::leads_nearer(std::uint32_t way, std::size_t at, std::size_t to) const {
  const std::size_t side = way / 2;
  const int length = sides_[side];
  const int here = coordinate(at, side);
  const int there = coordinate(to, side);
  const int next = (here + (way % 2 == 0 ? 1 : length - 1)) % length;
  return distance(side, next, there) < distance(side, here, there);
}

void TorusRoutes::next_links(VertexId at, VertexId to, std::vector<LinkId>& out) const {
  if (at == to) return;
  if (at.value < endpoints_) {
    out.insert(out.end(), up_.begin() + up_begin_[at.value], up_.begin() + up_begin_[at.value + 1]);
    return;
  }
  const std::size_t here = router_of(at);
  const std::size_t there = router_of(to);
  std::size_t side = 0;
  while (side < dimensions() && coordinate(here, side) == coordinate(there, side)) ++side;
  if (side == dimensions()) {
    for (std::uint32_t i = up_begin_[to.value]; i < up_begin_[to.value + 1]; ++i) out.push_back(opposite(up_[i]));
    return;
  }
  for (std::uint32_t i = steps_begin_[here]; i < steps_begin_[here + 1]; ++i)
    if (steps_[i].way / 2 == side && leads_nearer(steps_[i].way, here, there)) out.push_back(steps_[i].link);
}

}  // namespace clusterwright
