#pragma once

#include <functional>
#include <vector>

#include "calibration/host/loop/ring.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Forks `processes` processes, joined in a ring, that call `body` once each; waits until all have ended.
///
/// A forked process has this thread alone, and ends with it; what `body` changes stays there. What it throws is the
/// text of the failure here.
///
/// @return what `body` returned, by rank
/// @throws ProbeFailure if a process or a socket is refused, a process fails or dies, or the limit passes; none of the
///         processes is left behind
/// @throws std::invalid_argument if processes < 1
std::vector<std::vector<double>> run_ranks(int processes, Seconds time_limit,
                                           const std::function<std::vector<double>(Ring&)>& body);

}  // namespace clusterwright
