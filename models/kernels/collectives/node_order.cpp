// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/node_order.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "models/kernels/collectives/communicator.hpp"
#include "topology/graph/counter_random.hpp"

namespace clusterwright {

namespace {

/// What draws are for; the second word of their counters.
enum Stream : std::uint32_t { job_sizes = 1, job_places, shuffles };

int draw(int below, std::size_t number, Stream stream, std::uint64_t seed) {
  return static_cast<int>(
      draw_below(static_cast<std::uint32_t>(below), {static_cast<std::uint32_t>(number), stream, 0, 0}, seed));
}

/// A torus without sites, in the coordinates of build_network.
const TorusSpec* torus_of(const Cluster& cluster) {
  const FabricSpec& fabric = cluster.spec.fabric;
  const bool one_site = !fabric.sites || fabric.sites->count == 1;
  return fabric.kind == FabricKind::torus && fabric.torus && one_site ? &*fabric.torus : nullptr;
}

int torus_links_between(NodeId from, NodeId to, const TorusSpec& torus) {
  int a = from - NodeId(0), b = to - NodeId(0);
  int links = 0;
  for (const int side : torus.sides) {
    const int apart = std::abs(a % side - b % side);
    links += torus.wrap ? std::min(apart, side - apart) : apart;
    a /= side;
    b /= side;
  }
  return links;
}

/// Place of a node in rows that are walked there and back: a coordinate counts backwards where the rows before it are
/// odd in number.
int serpentine_place(NodeId node, const std::vector<int>& sides) {
  std::vector<int> at;
  int rest = node - NodeId(0);
  for (const int side : sides) at.push_back(rest % side), rest /= side;
  int place = 0;
  for (std::size_t i = sides.size(); i-- > 0;)
    place = place * sides[i] + (place % 2 == 0 ? at[i] : sides[i] - 1 - at[i]);
  return place;
}

int links_between(NodeId a, NodeId b, const Cluster& cluster) {
  if (a == b) return 0;
  if (const TorusSpec* torus = torus_of(cluster)) return torus_links_between(a, b, *torus);
  const auto each = static_cast<std::uint32_t>(cluster.node_accelerators);
  const auto domain = static_cast<std::uint32_t>(cluster.domain);
  const AcceleratorId first(a.value * each), second(b.value * each);
  if (!cluster.mixed() && first.value / domain == second.value / domain) return 0;
  if (cluster.fabric.tiers().empty()) return 0;
  return 2 * static_cast<int>(cluster.fabric.meeting_tier(first, second) + 1);
}

/// Takes up to `size` free nodes from `start` on. @return how many
int occupy(std::vector<bool>& taken, int start, int size) {
  const int nodes = static_cast<int>(taken.size());
  int got = 0;
  for (int i = 0; i < nodes && got < size; ++i) {
    const auto node = static_cast<std::size_t>((start + i) % nodes);
    if (!taken[node]) taken[node] = true, ++got;
  }
  return got;
}

}  // namespace

std::vector<NodeId> numbered_nodes(int nodes) {
  const IdRange<NodeId> all(0, static_cast<std::size_t>(nodes));
  return {all.begin(), all.end()};
}

std::vector<NodeId> scattered_nodes(int nodes, int wanted, std::uint64_t seed) {
  std::vector<bool> taken(static_cast<std::size_t>(nodes), false);
  int left = std::min(static_cast<int>(busy_share * nodes), nodes - wanted);
  const int sizes = std::bit_width(static_cast<unsigned>(std::max(nodes / 8, 1)));
  for (std::size_t job = 0; left > 0; ++job) {
    const int size = 1 << draw(sizes, job, job_sizes, seed);
    left -= occupy(taken, draw(nodes, job, job_places, seed), std::min(size, left));
  }
  std::vector<NodeId> free;
  for (std::size_t node = 0; node < taken.size() && static_cast<int>(free.size()) < wanted; ++node)
    if (!taken[node]) free.push_back(NodeId(node));
  return free;
}

void shuffle_nodes(std::vector<NodeId>& nodes, std::uint64_t seed) {
  for (std::size_t left = nodes.size(); left > 1; --left)
    std::swap(nodes[left - 1], nodes[static_cast<std::size_t>(draw(static_cast<int>(left), left, shuffles, seed))]);
}

long long ring_links(const std::vector<NodeId>& nodes, const Cluster& cluster) {
  long long links = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    links += links_between(nodes[i], nodes[(i + 1) % nodes.size()], cluster);
  return links;
}

std::vector<NodeId> near_order(std::vector<NodeId> nodes, const Cluster& cluster) {
  std::vector<std::vector<NodeId>> orders(1, nodes);
  std::sort(orders[0].begin(), orders[0].end());
  if (const TorusSpec* torus = torus_of(cluster)) {
    orders.push_back(orders[0]);
    std::sort(orders[1].begin(), orders[1].end(), [&](NodeId a, NodeId b) {
      return serpentine_place(a, torus->sides) < serpentine_place(b, torus->sides);
    });
  }
  orders.push_back(std::move(nodes));
  return *std::min_element(orders.begin(), orders.end(), [&](const auto& a, const auto& b) {
    return ring_links(a, cluster) < ring_links(b, cluster);
  });
}

}  // namespace clusterwright
