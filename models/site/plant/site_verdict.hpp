// SPDX-License-Identifier: Apache-2.0
/// Constraint of a site that was checked, and the tolerance of such checks.
#pragma once

#include <string>

namespace clusterwright {

struct SiteVerdict {
  std::string what;  ///< "power of a rack"
  bool holds = true;
  std::string arithmetic;  ///< one line with the numbers
  std::string field;       ///< field of the cluster or facility to change: "facility.rack.power_limit_kw"
  bool any_size = false;   ///< no other number of nodes changes it
};

/// Relative tolerance of limits and of quotients that are rounded to whole parts: 3.0000000001 modules are 3.
inline constexpr double site_rounding = 1e-9;

}  // namespace clusterwright
