/// From measurements to the parameter set of one accelerator.
#pragma once

#include <vector>

#include "calibration/measured/measurement.hpp"
#include "models/job/parameters.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Fits everything that microbenchmarks of `part` say; what they do not say comes from accelerators with the same die,
/// else from a prior. The `source` of every number tells which. Training steps are never looked at, nor is the name or
/// origin of a measurement: only its kind, accelerator, number format, operation, rank count and class of library.
/// @param catalog  where siblings and the multiprocessors of measured accelerators are looked up
/// @throws std::invalid_argument if `part` has no multiprocessor count, memory or 16-bit matrix rate
ParameterSet fit_parameters(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                            const std::vector<AcceleratorPart>& catalog);

/// Kernels and links of the measured part `own` are nearer to those of `user` than a mean over generations is: one
/// architecture, and links that reach as many. What its peak asks of its power may differ (density_loss).
bool may_serve(const AcceleratorPart& own, const AcceleratorPart& user);

/// The set for accelerators that nobody measured: the shape of measured relatives on the part's own data sheet. One fit
/// over all of them, every generation one vote; its reports leave each generation out in turn.
ParameterSet fit_transfer_parameters(const std::vector<Measurement>& measurements,
                                     const std::vector<AcceleratorPart>& catalog);

}  // namespace clusterwright
