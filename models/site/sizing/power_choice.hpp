// SPDX-License-Identifier: Apache-2.0
/// Choice of one way to run each job, within a power.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/quantity.hpp"

namespace clusterwright {

/// A way to run a job.
struct PowerChoice {
  Watts drawn;
  double work = 0;
};

/// Number of the way of each job, of those with most work together that draw at most the budget; powers are rounded up
/// to 1/4096 of it. Empty where no choice is within it. Example: ways of (5 kW, 4) and (10 kW, 6) for one job, of
/// (6 kW, 5) for another; 11 kW run the first way of both, 16 kW the second of the first.
std::vector<std::size_t> most_work(const std::vector<std::vector<PowerChoice>>& jobs, Watts budget);

}  // namespace clusterwright
