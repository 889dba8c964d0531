// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace clusterwright {

/// SplitMix64 generator, fast enough to fill memory. Same seed, same words.
class RandomWords {
 public:
  explicit RandomWords(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t word = state_ += 0x9e3779b97f4a7c15u;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
  }
  /// Random number below `bound`. @pre bound is far below 2^32, so that the bias is negligible
  std::uint64_t below(std::uint64_t bound) { return (next() >> 32) * bound >> 32; }
  /// Uniform random number in [-1, 1).
  double signed_unit() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1; }

 private:
  std::uint64_t state_;
};

}  // namespace clusterwright
