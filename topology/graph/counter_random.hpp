// SPDX-License-Identifier: Apache-2.0
/// Random numbers without state: a function of what they are drawn for.
#pragma once

#include <array>
#include <cstdint>

namespace clusterwright {

/// Philox 4x32 with ten rounds: 128 bits of counter and 64 bits of key give 128 bits. Equal inputs give equal draws on
/// every machine, in any order.
/// @source J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t key) {
  auto low = static_cast<std::uint32_t>(key);
  auto high = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ low, static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ high, static_cast<std::uint32_t>(a)};
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  return counter;
}

/// Evenly one of 0 .. n - 1; the bias is below n / 2^32.
constexpr std::uint32_t draw_below(std::uint32_t n, std::array<std::uint32_t, 4> counter, std::uint64_t key) {
  return static_cast<std::uint32_t>((std::uint64_t{philox(counter, key)[0]} * n) >> 32);
}

}  // namespace clusterwright
