// SPDX-License-Identifier: Apache-2.0
/// Level at which one resource holds its transfers, given how far each of them is limited elsewhere.
///
/// Terms are those of sim/water_levels.hpp. g(L) >= L and does not fall up to the level L(r) of the resource: freezing
/// a transfer at x <= w * L leaves at least L to each unit of weight of the others. So L = 0, g(0), g(g(0)), ... climbs
/// to L(r), usually in two or three passes over the transfers. A pass is the last one if no transfer enters F(L) on the
/// way up to g(L).
#pragma once

#include <cstdint>
#include <span>

#include "sim/wide_integer.hpp"

namespace clusterwright {

/// Level of a resource that holds no transfer.
inline constexpr std::uint64_t unlimited_level = ~std::uint64_t{0};

/// One transfer on one resource.
struct alignas(32) LevelSlot {
  std::uint64_t threshold = 0;  ///< lowest level L of the resource with the transfer in F(L), > 0
  std::uint64_t share = 0;      ///< x: rate there
  std::uint64_t take = 0;       ///< a
  std::uint32_t weight = 1;     ///< w
  std::uint32_t key = 0;        ///< of the transfer
};

/// residual / weight, rounded down. A quotient at `unlimited_level` or above is beyond every bound.
std::uint64_t level_for(UInt128 residual, UInt128 weight);

std::uint64_t mixed_level(std::span<const LevelSlot> slots, UInt128 capacity);

/// Where all transfers take the same amount a, floor((c - a X) / (a W)) = floor((floor(c / a) - X) / W): 64 bits
/// suffice.
/// @param whole  floor(c / a)
std::uint64_t uniform_level(std::span<const LevelSlot> slots, std::uint64_t whole);

}  // namespace clusterwright
