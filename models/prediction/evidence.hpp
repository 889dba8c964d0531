// SPDX-License-Identifier: Apache-2.0
/// Measurements behind a prediction: how far the accelerator, the stack and the release lie from measured ones.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"

namespace clusterwright {

/// Nearest measured relative of the accelerator, in rising distance.
enum class MeasuredAccelerator { itself, architecture, vendor, none };

/// Distance of a stack from those with measured steps: one of them, their entry with other content, or none.
enum class MeasuredStack { itself, entry, none };

struct Evidence {
  MeasuredAccelerator accelerator = MeasuredAccelerator::itself;
  MeasuredStack stack = MeasuredStack::itself;
  double like_distance = 0;  ///< data-sheet distance from the part that an own part is like
};

Evidence evidence_of(const Scenario& scenario);

/// Sentences for every part of a prediction without measurements of its own; empty if all is measured.
/// @param sigma  standard deviation of the logarithm of the step time
std::vector<std::string> evidence_warnings(const Scenario& scenario, double sigma);

}  // namespace clusterwright
