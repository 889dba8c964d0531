// SPDX-License-Identifier: Apache-2.0
/// Error of a step by what its fabric does not say of the slowest flows (FabricSpec::tail).
///
/// Flows slower than the last stated quantile follow a Pareto law that nobody measured. If none were slower than that
/// quantile, the slowest of N flows would lose only a part of what the step counts; the rest may as well not be there,
/// or be twice as large: two standard errors.
///
/// Example: p99 = 1.5 and 1,024 flows. The slowest takes 1.93 times the mean, and 1.42 if none took longer than p99: of
/// the loss 0.93 - 0.42 = 0.51, or 55 %, is continued. In a step that loses 10 % so, one standard error is 2.8 %.
#pragma once

#include "models/job/scenario.hpp"

namespace clusterwright {

/// Change of the logarithm of the step time by one standard error. @param lost  share of the step lost to slow flows
double tail_error(const Scenario& scenario, double lost);

}  // namespace clusterwright
