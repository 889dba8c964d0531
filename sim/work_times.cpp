// SPDX-License-Identifier: Apache-2.0
#include "sim/work_times.hpp"

#include <algorithm>
#include <cmath>

#include "sim/clocked_power.hpp"

namespace clusterwright::engine {
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

std::uint32_t speed_from(const SmTable& table, std::uint32_t reserved) {
  const auto speed = std::llround(full_speed / relative_duration(table, reserved));
  return static_cast<std::uint32_t>(std::clamp<long long>(speed, 1, full_speed));
}

}  // namespace

void WorkTimes::reset(const StepTiming& timing) {
  timing_ = &timing;
  table_speeds_.clear();
  table_speeds_.resize(timing.sm_tables.size());
  needs_.clear();
  needs_.reserve(timing.works.size());
  for (const WorkTiming& work : timing.works) {
    const auto memory_demand = static_cast<std::uint32_t>(std::llround(work.activity.memory * whole_memory));
    needs_.push_back({work.reserved_sms, memory_demand, work.sm_table});
  }
  group_by_clock();
}

void WorkTimes::group_by_clock() {
  std::vector<double> clocks;
  durations_begin_.clear();
  for (const double clock : timing_->clock) {
    const auto known = std::find(clocks.begin(), clocks.end(), clock);
    durations_begin_.push_back(static_cast<std::size_t>(known - clocks.begin()) * size());
    if (known == clocks.end()) clocks.push_back(clock);
  }
  durations_.assign(clocks.size() * size(), unknown);
}

Picoseconds WorkTimes::duration_at_clock(WorkId id, double clock) const {
  const WorkTiming& work = timing_->works[id];
  if (clock == 1) return work.duration;
  const double stretch = clock_stretch(work.clock_share, clock);
  return {std::llround(static_cast<double>(work.duration.count) * stretch)};
}

std::uint32_t WorkTimes::table_speed(SmTableId table, std::uint64_t reserved) {
  const std::uint64_t last = timing_->sm_tables[table].points.back().reserved;
  const auto capped = static_cast<std::uint32_t>(std::min(reserved, last));  // constant from there on
  std::vector<std::uint32_t>& speeds = table_speeds_[table];
  if (speeds.size() <= capped) speeds.resize(capped + std::size_t{1});
  if (speeds[capped] == 0) speeds[capped] = speed_from(timing_->sm_tables[table], capped);
  return speeds[capped];
}

}  // namespace clusterwright::engine
