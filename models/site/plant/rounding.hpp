#pragma once

#include "sim/quantity.hpp"

namespace clusterwright {

/// Guards the rounding of quotients and sums that are whole but for the last bits.
inline constexpr double site_rounding = 1e-9;

/// Height of one unit of a rack (EIA-310).
inline constexpr Meters rack_unit = 0.04445 * meter;

}  // namespace clusterwright
