/// Fits everything that a collective needs, of one accelerator or of all together.
#pragma once

#include <vector>

#include "calibration/measured/measurement.hpp"
#include "models/job/parameters.hpp"
#include "topology/parts.hpp"

namespace clusterwright {

/// From the rows of `part`; where it lacks rows between nodes, from those of a sibling.
/// @param siblings  parts with the same die
CollectiveSet fit_collective_set(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                                 const std::vector<AcceleratorPart>& catalog,
                                 const std::vector<const AcceleratorPart*>& siblings);

/// One set for accelerators that nobody measured: rows of all parts, every generation one vote, links relative to their
/// data sheets. Its reports leave each generation out in turn.
CollectiveSet fit_transfer_set(const std::vector<Measurement>& measurements,
                               const std::vector<AcceleratorPart>& catalog);

}  // namespace clusterwright
