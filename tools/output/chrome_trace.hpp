// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/step_graph.hpp"
#include "sim/timeline.hpp"

namespace clusterwright {

/// Trace Event JSON for Perfetto and chrome://tracing: a process per rank class, a thread per lane, a bar per op.
/// Waits for partners are bars of their own, named "wait: ...".
std::string chrome_trace(const StepStructure& structure, const std::vector<TimelineEvent>& events);

}  // namespace clusterwright
