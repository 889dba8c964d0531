#include "sim/device_sharing.hpp"

#include <algorithm>
#include <cmath>

#include "sim/clocked_power.hpp"
#include "sim/replay_state.hpp"
#include "sim/wide_integer.hpp"

namespace clusterwright {

using replay_state::full_speed;
using replay_state::whole_memory;

Picoseconds duration_at_clock(const WorkPrice& work, double clock) {
  if (clock == 1) return work.duration;
  return {std::llround(static_cast<double>(work.duration.count) * clock_stretch(work.clock_share, clock))};
}

namespace {

double relative_duration(const SmTable& table, std::uint32_t reserved) {
  const auto above = std::find_if(table.points.begin(), table.points.end(),
                                  [&](const SmTable::Point& point) { return point.reserved >= reserved; });
  if (above == table.points.end()) return table.points.back().relative_duration;
  if (above == table.points.begin()) return above->relative_duration;
  const auto below = above - 1;
  const double share = static_cast<double>(reserved - below->reserved) / (above->reserved - below->reserved);
  return below->relative_duration + share * (above->relative_duration - below->relative_duration);
}

}  // namespace

std::uint32_t speed_beside_reserved(const SmTable& table, std::uint32_t reserved) {
  const auto speed = std::llround(full_speed / relative_duration(table, reserved));
  return static_cast<std::uint32_t>(std::clamp<long long>(speed, 1, full_speed));
}

std::uint32_t speed_beside_memory_demand(std::uint32_t demand, std::uint64_t total) {
  if (demand == 0 || total <= whole_memory) return full_speed;
  return std::max(1u, static_cast<std::uint32_t>(std::uint64_t{whole_memory} * full_speed / total));
}

std::uint64_t bound_beside_memory_demand(std::uint64_t bound, std::uint64_t total) {
  if (total <= whole_memory) return bound;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(UInt128{bound} * whole_memory / total));
}

}  // namespace clusterwright
