/// How much slower a compute op runs while others hold multiprocessors or device memory bandwidth of its rank.
#pragma once

#include <cstdint>

#include "sim/step_graph.hpp"

namespace clusterwright {

/// Alone on the device at `clock` (relative to the reference clock): the clock's share goes with 1/clock.
Picoseconds duration_at_clock(const WorkTiming& work, double clock);

/// Progress per picosecond, full_speed when nothing is reserved; linear between the points of the table.
std::uint32_t speed_beside_reserved(const SmTable& table, std::uint32_t reserved);

/// Progress per picosecond: device memory is shared in proportion to demand, so once the demands add up to more than
/// the whole, every op that has any runs slower by the same factor; an op without demand does not feel the others.
///   speed = full_speed * min(1, 1 / total)
/// @param demand, total  of this op and of all active ops, in 1/whole_memory
std::uint32_t speed_beside_memory_demand(std::uint32_t demand, std::uint64_t total);

/// What is left of a transfer's bound when its memory traffic shares the device: bound / total, at least 1.
std::uint64_t bound_beside_memory_demand(std::uint64_t bound, std::uint64_t total);

}  // namespace clusterwright
