// SPDX-License-Identifier: Apache-2.0
/// Numbers of recomputed layers of a stage that a search looks at, where full recomputation may repeat only some.
#pragma once

#include <functional>
#include <optional>
#include <set>

namespace clusterwright {

/// Least number of recomputed layers, 0 to `most`, with which a layout fits; nothing if it never does.
/// @param fits  true for all numbers from the least one on
std::optional<int> least_count(int most, const std::function<bool(int)>& fits);

/// Number of recomputed layers at which copies of activations take as long as passes; nothing if one of the two is
/// longer with any number. Both change by about the same with each layer, so the ends decide. Example: passes of 3 s
/// and copies of 5 s without recomputation, passes of 4 s and copies of 1 s with that of 40 layers:
/// 40 x 2 / (2 + 3) = 16 layers.
/// @param without, all  seconds that copies take longer than passes, without recomputation and with that of all layers
std::optional<int> balanced_count(int most, double without, double all);

/// Numbers above `least` and below `end`: quarters of `most`, and `balanced`.
std::set<int> further_counts(int most, int least, int end, std::optional<int> balanced);

}  // namespace clusterwright
