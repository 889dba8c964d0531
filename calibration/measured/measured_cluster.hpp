// SPDX-License-Identifier: Apache-2.0
/// Cluster of a published measurement, in the terms of the models; one node as a cluster of its own.
#pragma once

#include <optional>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

/// Accelerator of a measurement: the catalog's, else one made from the data sheet in the measurement. Without a
/// published power it gets a usual density.
/// @return nothing if the data sheet lacks the 16-bit rate or the memory bandwidth
std::optional<AcceleratorPart> measured_part(const MeasuredHardware& hardware,
                                             const std::vector<AcceleratorPart>& catalog);

/// Cluster of a measurement; it brings the part along where the catalog lacks it. Published rows rarely describe
/// switches: groups below a taper are nested as far as published, the rest is a fabric of full bisection. Racks and
/// servers are whole: the job uses a part of them as block_request says. A job on a torus has slices of its own.
ClusterSpec measured_cluster(const MeasuredHardware& hardware, const std::vector<AcceleratorPart>& catalog);

/// Accelerators that the scale-up links of `part` join; no network.
Cluster single_node(const AcceleratorPart& part, int accelerators);

}  // namespace clusterwright
