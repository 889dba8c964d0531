#include "topology/fabrics/hyperx.hpp"

#include <algorithm>

namespace clusterwright {

long long hyperx_switches(const HyperxSpec& grid) {
  constexpr long long beyond = 1LL << 31;
  long long product = 1;
  for (const int side : grid.sides) product = std::min(beyond, product * side);
  return product;
}

int hyperx_parallel(const HyperxSpec& grid, std::size_t axis) {
  return grid.links.empty() ? 1 : grid.links.at(axis);
}

long long hyperx_switch_cables(const HyperxSpec& grid, std::size_t axis) {
  return (grid.sides[axis] - 1LL) * hyperx_parallel(grid, axis);
}

long long hyperx_cables(const HyperxSpec& grid, std::size_t axis) {
  return hyperx_switches(grid) * hyperx_switch_cables(grid, axis) / 2;
}

long long hyperx_half_cut(const HyperxSpec& grid, std::size_t axis) {
  const long long half = grid.sides[axis] / 2;
  return hyperx_switches(grid) / grid.sides[axis] * half * half * hyperx_parallel(grid, axis);
}

}  // namespace clusterwright
