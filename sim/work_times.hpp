// SPDX-License-Identifier: Apache-2.0
/// What the works of one timing need of a device, and how long they take there.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/progress.hpp"
#include "sim/step_graph.hpp"

namespace clusterwright::engine {

/// Device memory bandwidth, in the unit of memory demands.
inline constexpr std::uint32_t whole_memory = 1'000'000;

struct WorkNeeds {
  std::uint32_t reserved_sms = 0;
  std::uint32_t memory_demand = 0;  // in 1/whole_memory
  SmTableId sm_table;
};

/// Durations and speeds, each computed when first asked for: a step has few distinct works, clocks and reservations.
class WorkTimes {
 public:
  /// @param timing  must live until the next call
  void reset(const StepTiming& timing);

  std::size_t size() const { return needs_.size(); }
  const WorkNeeds& needs(WorkId work) const { return needs_[work]; }

  /// Duration when nothing else runs on the device, at the clock of the rank. Only the clock's share of the work goes
  /// with 1/clock:
  ///   duration * (clock_share / clock + 1 - clock_share)
  Picoseconds alone(WorkId work, RankClassId rank) {
    Picoseconds& duration = durations_[durations_begin_[rank] + work.value];
    if (duration == unknown) duration = duration_at_clock(work, timing_->clock[rank]);
    return duration;
  }

  /// Progress per picosecond beside `reserved` multiprocessors; full_speed when none is reserved or without a table.
  /// The relative duration is linear between the points of the table and constant behind the last.
  std::uint32_t speed_beside_reserved(SmTableId table, std::uint64_t reserved) {
    return !table.exists() || reserved == 0 ? full_speed : table_speed(table, reserved);
  }

 private:
  static constexpr Picoseconds unknown{-1};

  void group_by_clock();
  std::uint32_t table_speed(SmTableId table, std::uint64_t reserved);
  Picoseconds duration_at_clock(WorkId work, double clock) const;

  const StepTiming* timing_ = nullptr;
  IndexedVector<WorkId, WorkNeeds> needs_;
  IndexedVector<RankClassId, std::size_t> durations_begin_;            // ranks at one clock share their durations
  std::vector<Picoseconds> durations_;                                 // of each work at each clock
  IndexedVector<SmTableId, std::vector<std::uint32_t>> table_speeds_;  // by reserved multiprocessors; 0: unknown
};

}  // namespace clusterwright::engine
