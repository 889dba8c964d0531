// SPDX-License-Identifier: Apache-2.0
/// Degrees of parallelism that a scenario leaves out, which then are 1 and not searched for.
#pragma once

#include <string>

#include "models/job/scenario.hpp"

namespace clusterwright {

/// Sentence about a job that states neither a tensor nor a pipeline degree, with its place; empty where it states one
/// of them or "auto", and on a single accelerator.
std::string unstated_degrees(const Scenario& scenario);

}  // namespace clusterwright
