// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/outdoor_air.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace clusterwright {

namespace {

constexpr int months = 12, hours = 24;
static_assert(months * hours == hours_visited);

constexpr double sea_level_kpa = 101.325;
constexpr double vapour_over_air = 0.622;  // molar masses, 18.02 / 28.96
constexpr double dry_air_kj_per_kg_k = 1.006, vapour_kj_per_kg_k = 1.86;
constexpr double evaporation_at_0c_kj_per_kg = 2501;
constexpr double moist_air_kj_per_kg_k = 1.02;
constexpr double water_evaporation_j_per_kg = 2.45e6;  // at 20 C
/// Water in over water evaporated, at five cycles of concentration: 5 / (5 - 1).
constexpr double blowdown = 1.25;
/// Bounds of the latent share: even in frost some water evaporates, and no tower cools more air than water.
constexpr double least_latent = 0.1, most_latent = 2;

Outdoors at(const ClimatePart& climate, double month_index, double hour_of_day) {
  const double season = std::cos(2 * std::numbers::pi * month_index / months);
  const double time = std::cos(2 * std::numbers::pi * hour_of_day / hours);
  const double dry = climate.mean_c.value + climate.annual_k.value * season + climate.daily_k.value * time;
  // The wet-bulb temperature follows half of the daily change, since air dries as it warms.
  const double wet = climate.mean_c.value - climate.wet_bulb_below_k.value + climate.annual_k.value * season +
                     climate.daily_k.value / 2 * time;
  return {dry, std::min(dry, wet)};
}

}  // namespace

void over_the_year(const ClimatePart& climate, const std::function<void(Outdoors)>& visit) {
  for (int month_index = 0; month_index < months; ++month_index)
    for (int hour_of_day = 0; hour_of_day < hours; ++hour_of_day) visit(at(climate, month_index, hour_of_day));
}

Outdoors hottest(const ClimatePart& climate) {
  return {climate.design_c.value, climate.design_wet_bulb_c.value};
}

double saturated_air_kj_per_kg(double celsius) {
  const double vapour_kpa = 0.61094 * std::exp(17.625 * celsius / (celsius + 243.04));
  const double moisture = vapour_over_air * vapour_kpa / (sea_level_kpa - vapour_kpa);
  return dry_air_kj_per_kg_k * celsius + moisture * (evaporation_at_0c_kj_per_kg + vapour_kj_per_kg_k * celsius);
}

double latent_share(double water_c, Outdoors outdoors) {
  const double driving = saturated_air_kj_per_kg(water_c) - saturated_air_kj_per_kg(outdoors.wet_c);
  if (driving <= 0) return most_latent;
  return std::clamp(1 - moist_air_kj_per_kg_k * (water_c - outdoors.dry_c) / driving, least_latent, most_latent);
}

double water_l_per_s(Watts latent_heat) {
  return blowdown * latent_heat.in(watt) / water_evaporation_j_per_kg;
}

}  // namespace clusterwright
