// SPDX-License-Identifier: Apache-2.0
#include "sim/resource_level.hpp"

#include <algorithm>

namespace clusterwright {

std::uint64_t level_for(UInt128 residual, UInt128 weight) {
  if (((residual | weight) >> 64) == 0)
    return static_cast<std::uint64_t>(residual) / static_cast<std::uint64_t>(weight);
  return static_cast<std::uint64_t>(std::min<UInt128>(residual / weight, unlimited_level));
}

std::uint64_t mixed_level(std::span<const LevelSlot> slots, UInt128 capacity) {
  for (std::uint64_t level = 0;;) {
    UInt128 taken = 0;
    UInt128 weight = 0;
    std::uint64_t next = unlimited_level;
    for (const LevelSlot& slot : slots) {
      if (slot.threshold <= level) {
        taken += UInt128{slot.take} * slot.share;
      } else {
        weight += UInt128{slot.take} * slot.weight;
        next = std::min(next, slot.threshold);
      }
    }
    if (weight == 0) return unlimited_level;
    const std::uint64_t climbed = level_for(capacity - taken, weight);
    if (climbed < next) return climbed;
    level = climbed;
  }
}

std::uint64_t uniform_level(std::span<const LevelSlot> slots, std::uint64_t whole) {
  for (std::uint64_t level = 0;;) {
    std::uint64_t taken = 0;
    std::uint64_t weight = 0;
    std::uint64_t next = unlimited_level;
    for (const LevelSlot& slot : slots) {
      const bool frozen = slot.threshold <= level;
      taken += frozen ? slot.share : 0;
      weight += frozen ? 0 : slot.weight;
      next = std::min(next, frozen ? unlimited_level : slot.threshold);
    }
    if (weight == 0) return unlimited_level;
    const std::uint64_t climbed = (whole - taken) / weight;
    if (climbed < next) return climbed;
    level = climbed;
  }
}

}  // namespace clusterwright
