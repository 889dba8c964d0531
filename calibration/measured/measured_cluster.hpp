/// A measured machine as the models describe one.
#pragma once

#include <optional>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// The accelerator of a measurement: the catalog's, else one made from the data sheet that the measurement carries.
/// Where that gives no power, it is taken for a part of usual density.
/// @return nothing if the data sheet gives no 16-bit rate or no memory bandwidth either
std::optional<AcceleratorPart> measured_part(const MeasuredHardware& hardware,
                                             const std::vector<AcceleratorPart>& catalog);

/// Its cluster brings the part along where the catalog lacks it. Published rows rarely describe switches, so groups
/// below a taper are nested as far as they are told and the rest is a fabric of full bisection. Racks that act as one
/// are filled in blocks that divide the job.
ClusterSpec measured_cluster(const MeasuredHardware& hardware, const std::vector<AcceleratorPart>& catalog);

}  // namespace clusterwright
