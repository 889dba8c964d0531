/// A constraint of a site, and how exactly it is checked.
#pragma once

#include <string>

namespace clusterwright {

/// A constraint that was checked.
struct SiteVerdict {
  std::string what;  ///< "power of a rack"
  bool holds = true;
  std::string arithmetic;  ///< one line with the numbers
  std::string field;       ///< of the cluster or facility that would have to change: "facility.rack.power_limit_kw"
};

/// Guards the rounding of quotients and sums that are whole but for the last bits.
inline constexpr double site_rounding = 1e-9;

}  // namespace clusterwright
