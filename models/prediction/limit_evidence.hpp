// SPDX-License-Identifier: Apache-2.0
/// Time that power limits cost in published training, over the predicted one.
///
/// @source Colangelo et al. (arXiv 2609.11542), dense jobs on 8 H100 and 8 H200 under limits of 200 to 600 W;
/// docs/models/power.md, "Power limits"
#pragma once

namespace clusterwright {

inline constexpr double least_cost_of_limits = 0.9;
inline constexpr double most_cost_of_limits = 1.15;

}  // namespace clusterwright
