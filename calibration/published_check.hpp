/// How well a parameter set predicts the published microbenchmarks of its accelerator: beside own samples of the same
/// part, the two tell a wrong probe from a wrong model.
#pragma once

#include <vector>

#include "calibration/fit/sample_section.hpp"
#include "calibration/measured/measurement.hpp"

namespace clusterwright {

/// Multiplies, streams and collectives of the set's own accelerator, nothing fitted; sections without rows are left
/// out.
std::vector<SectionFit> check_published(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                                        const ParameterSet& set);

}  // namespace clusterwright
