// SPDX-License-Identifier: Apache-2.0
/// Shipped parameter sets: fits of published measurements, then of the raw samples that ship with the project.
#pragma once

#include <filesystem>
#include <vector>

#include "calibration/fit/sample_fit.hpp"
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
/// @param cards  cards with the die of the set's part, its own first where it has samples. All of them tell multiplies
///               and attention, so that parts of one die differ in these by nothing but their memory; the first one
///               tells the rest, and nothing of memory, host link and heat where it is another part
ParameterSet with_samples(const ParameterSet& published, std::vector<CardSamples> cards);

/// Set of one accelerator as it ships: `fit_parameters`, then the samples below `folder` of the parts with its die.
ParameterSet fit_shipped_set(const std::vector<Measurement>& measurements, const std::filesystem::path& folder,
                             const AcceleratorPart& part, const Catalog& catalog);

}  // namespace clusterwright
