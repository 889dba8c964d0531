// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several sets of operands in one allocation, so that the next launch does not find its inputs in L2.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "status.hpp"

namespace clusterwright::probes {

class RotatingBuffers {
 public:
  /// As many sets as it takes to cover four times L2, or as many as fit.
  /// @throws NotPossible when not even one set fits
  RotatingBuffers(char* base, std::size_t capacity_bytes, const std::vector<std::size_t>& sizes_bytes,
                  std::size_t l2_bytes)
      : base_(base) {
    for (const std::size_t size : sizes_bytes) {
      offsets_.push_back(stride_);
      stride_ += (size + 255) / 256 * 256;  // cuBLASLt's heuristic assumes pointers on 256 bytes
    }
    if (stride_ > capacity_bytes) {
      throw NotPossible("out of memory: needs " + std::to_string(stride_) + " bytes of " +
                        std::to_string(capacity_bytes));
    }
    sets_ = std::min(capacity_bytes / stride_, 4 * l2_bytes / stride_ + 1);
  }

  void* at(std::size_t operand, int index) const {
    return base_ + offsets_[operand] + stride_ * (static_cast<std::size_t>(index) % sets_);
  }
  std::size_t sets() const { return sets_; }

 private:
  char* base_;
  std::vector<std::size_t> offsets_;
  std::size_t stride_ = 0, sets_ = 1;
};

}  // namespace clusterwright::probes
