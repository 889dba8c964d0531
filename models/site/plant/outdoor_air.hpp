// SPDX-License-Identifier: Apache-2.0
/// Outdoor air of a climate, and the water that plants evaporate into it.
///
/// A cooling tower gives its heat to the air in two ways: water evaporates (latent heat), and the air warms (sensible
/// heat). By Merkel's method the whole follows the difference of enthalpies between saturated air at the water's
/// temperature T and the air, the sensible part cp (T - dry bulb):
///   latent share = 1 - cp (T - dry) / (h_sat(T) - h_sat(wet bulb))
///
/// Example: water at 27 C. In air of 11 C and a wet bulb of 8.5 C: h_sat(27) = 85.3 kJ/kg, h_sat(8.5) = 26.0 kJ/kg,
/// so 1 - 1.02 x 16 / 59.3 = 72 % evaporates. In air of 36 C and 22 C: 1 + 1.02 x 9 / (85.3 - 64.4) = 144 %, since the
/// tower also cools the air.
///
/// @source F. Merkel, "Verdunstungskuehlung", VDI-Forschungsarbeiten 275, 1925; ASHRAE Handbook, Fundamentals,
///         chapter 1 (psychrometrics); O. Alduchov, R. Eskridge, "Improved Magnus form approximation of saturation
///         vapor pressure", Journal of Applied Meteorology 35, 1996
#pragma once

#include <functional>

#include "sim/quantity.hpp"
#include "topology/parts/facility_parts.hpp"

namespace clusterwright {

/// Dry-bulb and wet-bulb temperature.
struct Outdoors {
  double dry_c, wet_c;
};

/// Visits 12 months x 24 hours of a year.
void over_the_year(const ClimatePart& climate, const std::function<void(Outdoors)>& visit);

/// Visits of `over_the_year`.
inline constexpr int hours_visited = 12 * 24;

/// Hottest hours of the design day.
Outdoors hottest(const ClimatePart& climate);

/// Enthalpy of saturated air per kg of dry air at sea level.
double saturated_air_kj_per_kg(double celsius);

/// Share of a tower's heat that evaporates water; above 1 where the air is warmer than the water.
/// @param water_c  mean temperature of the water in the tower
double latent_share(double water_c, Outdoors outdoors);

/// Water for heat that evaporates it, drained water included.
double water_l_per_s(Watts latent_heat);

}  // namespace clusterwright
