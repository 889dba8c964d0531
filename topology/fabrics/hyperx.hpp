/// Switches and cables of a HyperX, counted. Beyond any machine the counts stay just there.
#pragma once

#include <cstddef>

#include "topology/fabrics/fabric_spec.hpp"

namespace clusterwright {

long long hyperx_switches(const HyperxSpec& grid);
/// Parallel cables between two switches along `axis`.
int hyperx_parallel(const HyperxSpec& grid, std::size_t axis);
/// Cables of one switch along `axis`.
long long hyperx_switch_cables(const HyperxSpec& grid, std::size_t axis);
/// Cables along `axis` of the whole grid.
long long hyperx_cables(const HyperxSpec& grid, std::size_t axis);
/// Cables between the lower and the upper half along `axis`, whose side is even.
long long hyperx_half_cut(const HyperxSpec& grid, std::size_t axis);

}  // namespace clusterwright
