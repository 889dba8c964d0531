// SPDX-License-Identifier: Apache-2.0
/// What a prediction says about memory beyond the accelerators.
#pragma once

#include <optional>

#include "models/job/job.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

struct LevelBytes {
  Bytes weights;
  Bytes gradients;
  Bytes optimizer;
  Bytes activations;
  Bytes checkpoint;  ///< copy of what is being written

  Bytes total() const { return weights + gradients + optimizer + activations + checkpoint; }
  LevelBytes& operator+=(const LevelBytes& other);
};

/// Of the node that holds most in host memory or on drives; of a pool, all of it.
struct LevelUse {
  MemoryLevel tier = MemoryLevel::host;
  LevelBytes bytes;
  std::optional<Bytes> capacity;  ///< absent: not known, and not checked
  bool fits() const { return !capacity || bytes.total() <= *capacity; }
};

}  // namespace clusterwright
