// SPDX-License-Identifier: Apache-2.0
#include "topology/nodes/torus_block.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace clusterwright {

namespace {

struct Extent {
  int length = 1;
  bool ring = false;  // closed by links of its own
};

std::vector<Extent> extents(std::span<const int> sides, int members) {
  std::vector<Extent> out;
  int left = members;  // in units of what the sides so far hold
  for (const int side : sides) {
    const int length = std::min(left, side);
    out.push_back({length, length == side && side > 2});
    left = (left + side - 1) / side;
  }
  if (members < 1 || left > 1) throw std::invalid_argument("members that the torus does not have");
  return out;
}

}  // namespace

double torus_ring_links(std::span<const int> sides, int members) {
  double links = 0;
  for (const Extent& extent : extents(sides, members))
    if (extent.length > 1) links += extent.ring ? 2 : 1;
  return links;
}

int torus_hops(std::span<const int> sides, int members) {
  int hops = 0;
  for (const Extent& extent : extents(sides, members)) hops += extent.ring ? extent.length / 2 : extent.length - 1;
  return hops;
}

double torus_exchange_load(std::span<const int> sides, int members) {
  const std::vector<Extent> block = extents(sides, members);
  double all = 1;
  for (const Extent& extent : block) all *= extent.length;
  double busiest = 0;
  for (const Extent& extent : block) {
    // Each member sends `all / length` bytes to each place along this side. The hops of one place to all others are
    // shared by the two directions of a ring; the middle of a line carries one half's bytes to the other half.
    const double e = extent.length;
    const double ring_load = (extent.length % 2 == 0 ? e * e : e * e - 1) / 8;
    const int half = extent.length / 2;
    const double line_load = static_cast<double>(half) * (extent.length - half);
    busiest = std::max(busiest, (extent.ring ? ring_load : line_load) * all / e);
  }
  return busiest;
}

}  // namespace clusterwright
