#include "topology/fabrics/torus.hpp"

#include <algorithm>
#include <stdexcept>

namespace clusterwright {

long long torus_nodes(const TorusSpec& torus) {
  constexpr long long beyond = 1LL << 31;
  long long product = 1;
  for (const int side : torus.sides) product = std::min(beyond, product * side);
  return product;
}

void check_torus_sides(const TorusSpec& torus, int nodes) {
  const bool positive = std::all_of(torus.sides.begin(), torus.sides.end(), [](int side) { return side >= 1; });
  if (torus.sides.empty() || torus.sides.size() > 3 || !positive || torus_nodes(torus) != nodes)
    throw std::invalid_argument("the sides of a torus must multiply to its nodes");
}

long long torus_row_cables(const TorusSpec& torus, std::size_t axis) {
  const int side = torus.sides[axis];
  return torus.wrap && side > 2 ? side : side - 1;
}

long long torus_cables(const TorusSpec& torus, std::size_t axis) {
  return torus_nodes(torus) / torus.sides[axis] * torus_row_cables(torus, axis);
}

int most_router_links(const TorusSpec& torus) {
  int links = 0;
  for (const int side : torus.sides) links += std::min(side - 1, 2);
  return links;
}

long long torus_half_cut(const TorusSpec& torus, std::size_t axis) {
  const int side = torus.sides[axis];
  return torus_nodes(torus) / side * (torus.wrap && side > 2 ? 2 : 1);
}

}  // namespace clusterwright
