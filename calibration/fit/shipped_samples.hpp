// SPDX-License-Identifier: Apache-2.0
/// Shipped parameter sets: fits of published measurements, then of the raw samples that ship with the project.
#pragma once

#include <filesystem>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "models/job/parameters.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// Documents of GPU probes below a folder, in the order of their paths, whose device is `part`.
std::vector<ProbeSamples> shipped_samples(const std::filesystem::path& folder, const AcceleratorPart& part,
                                          const Catalog& catalog);

/// Set with the sections that own samples fit, as `calibrate fit` fits them; without samples, `published` itself.
/// Kernels that only the probe has are left out, and a section that misses its limit stays as published.
/// @param sampled  part that the samples are of: `part` of the set, or another one with the same die, which says
///                 nothing of memory, host link and heat
ParameterSet with_samples(const ParameterSet& published, const AcceleratorPart& sampled,
                          const std::vector<ProbeSamples>& samples);

/// Set of one accelerator as it ships: `fit_parameters`, then the samples of the part below `folder`, else those of the
/// first part of the catalog with the same die.
ParameterSet fit_shipped_set(const std::vector<Measurement>& measurements, const std::filesystem::path& folder,
                             const AcceleratorPart& part, const Catalog& catalog);

}  // namespace clusterwright
