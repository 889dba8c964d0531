/// Floor plans for terminals: plain ASCII, so that they survive logs and mails.
#pragma once

#include <string>

#include "models/site/plant/site_plan.hpp"

namespace clusterwright {

/// What stands for a rack: C, N, X (core), S, D (storage).
char rack_letter(RackRole role);

/// One character per rack, row by row, an empty place being a dot, and a legend. A line too long for a
/// terminal counts instead ("24C 1N 24C"); then, and beyond 40 rows, neighbouring rows that look alike share a line.
std::string text_floor_plan(const FloorPlan& floor);

}  // namespace clusterwright
