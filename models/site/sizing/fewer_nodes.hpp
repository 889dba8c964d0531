// SPDX-License-Identifier: Apache-2.0
/// Jobs on one power that switch nodes off, instead of limiting all of them.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "models/site/sizing/shared_power.hpp"

namespace clusterwright {

/// Division in which jobs may also run with fewer replicas, whose nodes are off and draw nothing: of the points of each
/// curve and of up to six smaller sizes under up to three limits, those with most work together. The global batch stays
/// and splits evenly. Nothing where no such choice is within the budget.
/// @param curves  of the jobs, by rising power
/// @param free  their steps without limits
/// @param progress  called after each prediction, from any thread
std::optional<DividedPower> on_fewer_nodes(const std::vector<SharingJob>& jobs, const std::vector<PowerCurve>& curves,
                                           const std::vector<SitedStep>& free, Watts budget,
                                           const std::function<void()>& progress);

}  // namespace clusterwright
