// SPDX-License-Identifier: Apache-2.0
/// Independent points of a computation on all threads that it may use (tools/long_computation.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace clusterwright {

/// Calls `compute` for each point of `order`. Threads take the points in that order, one at a time: with the longest
/// first, none is left to do when the others have ended. Answers that a point keeps to itself do not depend on the
/// number of threads; nor does the error, which is that of the first point of `order` that has one.
/// @param compute  must allow to be called from several threads
void for_each_point(const std::vector<std::size_t>& order, const std::function<void(std::size_t point)>& compute);

/// The points 0 .. count-1, the last of them first.
std::vector<std::size_t> last_first(std::size_t count);

}  // namespace clusterwright
