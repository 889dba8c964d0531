// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/kernels/collectives/collective_time.hpp"

namespace clusterwright {

/// Half of the 90 % interval of a predicted collective, as |log(predicted/measured)|.
///
/// Three causes, added in squares: what fits of the op missed in rows left out (the 90th percentile, from 1 MB or
/// below), the standard errors of the network's parameters by their part of the time, and the spread from fabric to
/// fabric for groups across nodes.
double collective_half_width(CollectiveOp op, Bytes bytes, const CollectiveTiming& timing, const CollectiveSet& set);

}  // namespace clusterwright
