// SPDX-License-Identifier: Apache-2.0
/// Processes of one data-parallel group.
#pragma once

#include <functional>
#include <vector>

#include "calibration/host/loop/ring.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Forks `processes` processes, joined in a ring, that call `body` once each; waits until all have ended.
///
/// A forked process has this thread alone, and ends with it; changes by `body` stay in that process. An exception of
/// `body` becomes the text of the failure here.
///
/// @return results of `body`, by rank
/// @throws ProbeFailure if a process or a socket is refused, a process fails or dies, or the limit passes; no process
///         is left behind
/// @throws std::invalid_argument if processes < 1
std::vector<std::vector<double>> run_ranks(int processes, Seconds time_limit,
                                           const std::function<std::vector<double>(Ring&)>& body);

}  // namespace clusterwright
