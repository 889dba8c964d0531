// SPDX-License-Identifier: Apache-2.0
/// What a job changes in its software stack.
#pragma once

#include <vector>

#include "models/job/job.hpp"
#include "models/job/parameters.hpp"
#include "models/job/stack.hpp"
#include "models/job/transformer.hpp"
#include "sim/json_value.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Stack as the job runs it: with its attention kernels, and with 16-bit states where it keeps no master weights.
SoftwareStack with_choices(SoftwareStack stack, const Job& job);

/// Entry by which the stack has no fused kernel for the attention of this model on the accelerator, at the release of
/// the job; nullptr: it has one, or the job names its attention. A job that states no release has the libraries of
/// today, whatever the date of its stack.
const LatentKernels* lacking_kernel(const SoftwareStack& stack, const Job& job, const Transformer& model,
                                    const AcceleratorPart& part);

/// Stack as it trains the model on the accelerator: with unfused attention where it lacks the kernel and the job names
/// none.
SoftwareStack with_kernels_of(SoftwareStack stack, const Job& job, const Transformer& model,
                              const AcceleratorPart& part);

/// Refuses a stack whose `latent_kernels` name an architecture of no accelerator, neither of the catalog nor of the
/// job's `own` one: it would change nothing. @throws ConfigError E0203 at the place in `document`
void check_latent_kernels(const SoftwareStack& stack, const std::vector<AcceleratorPart>& catalog,
                          const AcceleratorPart& own, const JsonValue& document);

/// Stack whose weights, gradients and moments all have 16 bits, and whose optimizer updates the weights that GEMMs
/// read.
SoftwareStack without_master_weights(SoftwareStack stack);

/// @throws ConfigError E0203 if the parameters do not describe the job's attention kernels
void check_attention(const Job& job, const ParameterSet& parameters, const JsonValue& source);

}  // namespace clusterwright
