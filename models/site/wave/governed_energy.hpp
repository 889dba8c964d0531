// SPDX-License-Identifier: Apache-2.0
/// Power of a rank over a step, held to its limit beyond the window of its governor.
#pragma once

#include <vector>

#include "sim/quantity.hpp"

namespace clusterwright {

struct GovernedRank {
  Watts idle, limit;
  Seconds window;  ///< of the governor (models/settling/governor.hpp)
};

/// The replay keeps one clock over a step, so that long work is above the limit and short bursts are too low. What is
/// above, beyond what a window saves up, goes to work of the same step that is below: its clock was higher. Energy
/// stays.
/// @param joules  from the begin of the step to the end of each slot, the first value 0; the step repeats for ever
void hold_to_limit(std::vector<double>& joules, Seconds slot, const GovernedRank& rank);

}  // namespace clusterwright
