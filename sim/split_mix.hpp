// SPDX-License-Identifier: Apache-2.0
/// Random numbers that are the same on every machine.
#pragma once

#include <cstdint>

namespace clusterwright {

/// SplitMix64. @source G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  /// A number from 0 to n - 1. @pre n > 0
  std::uint64_t below(std::uint64_t n) {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return (z ^ (z >> 31)) % n;
  }

 private:
  std::uint64_t state_;
};

}  // namespace clusterwright
