// SPDX-License-Identifier: Apache-2.0
/// Fits the parameter set of one accelerator, or the generic set, to published microbenchmarks.
#pragma once

#include <vector>

#include "calibration/measured/measurement.hpp"
#include "models/job/parameters.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Parameter set of `part`: from its own microbenchmarks where they inform a number, else from accelerators with the
/// same die, else from a prior; the `source` of every number says which. Training steps are never read, nor the name or
/// origin of a measurement: only its kind, accelerator, number format, operation, rank count and class of library.
/// @param catalog  parts among which siblings and the multiprocessors of measured accelerators are looked up
/// @throws std::invalid_argument if `part` has no multiprocessor count, memory or 16-bit matrix rate
ParameterSet fit_parameters(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                            const std::vector<AcceleratorPart>& catalog);

/// Whether architecture, rate and multiprocessors agree, but for the rounding of data sheets, so that kernels run
/// alike.
bool same_die(const AcceleratorPart& a, const AcceleratorPart& b);

/// Whether kernels and links of the measured part `own` are nearer to those of `user` than a mean over generations: one
/// architecture, and links that reach as many. Their peak compute per watt may differ (density_loss).
bool may_serve(const AcceleratorPart& own, const AcceleratorPart& user);

/// Parts that the generic set pools: those with scale-up links behind switches. Cards under PCI Express and meshes
/// share neither its shares of the data sheet nor its curves of collectives (docs/validation.md, "Without its
/// kernels").
std::vector<AcceleratorPart> pooled_parts(const std::vector<AcceleratorPart>& catalog);

/// Set for accelerators without measurements: one fit over all measured pooled_parts relative to their data sheets,
/// every generation with the same weight. Each generation is held out in turn.
ParameterSet fit_generic_parameters(const std::vector<Measurement>& measurements,
                                    const std::vector<AcceleratorPart>& catalog);

}  // namespace clusterwright
