/// A measured machine as the models describe one.
#pragma once

#include "calibration/measurement.hpp"
#include "topology/cluster.hpp"

namespace clusterwright {

/// Published rows rarely describe switches, so groups below a taper are nested as far as they are told and the rest is
/// a fabric of full bisection. Racks that act as one are filled in blocks that divide the job.
ClusterSpec measured_cluster(const MeasuredHardware& hardware);

}  // namespace clusterwright
