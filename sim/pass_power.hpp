// SPDX-License-Identifier: Apache-2.0
/// Power of the ops inside passes over time.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sim/pass_traces.hpp"

namespace clusterwright {

using Microwatts = std::int64_t;

/// Power of a kernel while others slow it down: its energy stays that of the kernel alone.
inline Microwatts slowed_power(Microwatts alone, Picoseconds unshared, Picoseconds taken) {
  if (taken <= unshared) return alone;
  return std::llround(static_cast<double>(alone) * static_cast<double>(unshared.count) /
                      static_cast<double>(taken.count));
}

struct PassPower {
  struct Point {
    Picoseconds at;
    Microwatts power = 0;  ///< of all ops of the pass together, above idle, up to the next point
  };
  Picoseconds from;                                  ///< to be added to the times of points
  std::shared_ptr<const std::vector<Point>> points;  ///< the first at the begin of the pass, all before its end
};

class PassPowers {
 public:
  PassPowers(const StepStructure& structure, const StepTiming& timing, const ReplayResult& result)
      : structure_(structure), traces_(structure, timing, result) {}

  /// @pre `op` is a pass. @param running  power of each work at the clock of its rank; lives as long as the PassPowers
  PassPower of(OpId op, std::span<const Microwatts> running);

 private:
  using Points = std::vector<PassPower::Point>;

  Points points_of(const PassTrace& trace, PassId pass, std::span<const Microwatts> running) const;

  const StepStructure& structure_;
  PassTraces traces_;
  std::map<std::pair<const void*, const void*>, std::shared_ptr<const Points>> shared_;  // by ops and powers
};

}  // namespace clusterwright
