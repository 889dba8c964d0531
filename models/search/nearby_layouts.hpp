// SPDX-License-Identifier: Apache-2.0
/// Layouts near one: a box of the space around it.
#pragma once

#include <array>

#include "models/search/layout.hpp"
#include "models/search/layout_limits.hpp"

namespace clusterwright {

/// Degrees that vary beside the stages, while the others stay; replicas follow.
enum class VariedDegrees { tensor_and_context, experts };
inline constexpr std::array every_varied_degrees = {VariedDegrees::tensor_and_context, VariedDegrees::experts};

/// Limits of the layouts in which those degrees, the stages and the micro-batch are from half to twice those of
/// `centre`, and recomputation, sharding, schedule, chunks and order are free within `all`. Offload stays.
LayoutLimits limits_near(const LayoutLimits& all, const Layout& centre, VariedDegrees varied);

}  // namespace clusterwright
