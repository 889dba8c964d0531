// SPDX-License-Identifier: Apache-2.0
/// Multiprocessors that ops outside a pass hold while it runs.
#pragma once

#include <cstdint>

#include "sim/step_graph.hpp"

namespace clusterwright {

struct OutsideLoad {
  std::uint64_t sms = 0;   ///< all others together
  std::uint32_t most = 0;  ///< the op that holds most
  ChargeId charge;         ///< its charge; "none" without such an op
  bool first = false;      ///< it was issued before the pass
  bool operator==(const OutsideLoad&) const = default;
};

/// Outside load of a pass from `at` on.
struct PassChange {
  Picoseconds at;
  OpId pass;
  std::uint32_t load = 0;  ///< place in ReplayResult::pass_loads; a step has few different ones
};

}  // namespace clusterwright
