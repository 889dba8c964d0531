// SPDX-License-Identifier: Apache-2.0
/// The layer and the small model that the GPU probe times (calibration/probes/transformer_layer.cu,
/// transformer_model.cu), as the product describes and predicts a training
/// job: lowered and replayed. Nothing is fitted to them, so they say whether the pieces add up.
#pragma once

#include <vector>

#include "calibration/fit/sample_section.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Kernels of the probe: multiplies write 16-bit gradients, residual sums have kernels of their own, queries and keys
/// are turned where they lie, the loss leaves its gradient, Adam reads 16-bit gradients that nobody clips or clears.
/// Launches wait behind a kernel until all are queued, so the host's time does not count.
SoftwareStack probe_stack(const ProbedTransformer& what);

/// Part of `what` that layers and models share; null for other probes.
const ProbedTransformer* probed_transformer(const ProbeWhat& what);

/// A "layer" or "model" sample on one accelerator. Widths are those of one rank of the tensor split, whose collectives
/// the probe leaves out. No factors of whole steps: the pieces alone.
Scenario probe_scenario(const ProbeWhat& what, const AcceleratorPart& part, const ParameterSet& set);

Plan probe_plan(const ProbeWhat& what);

/// Sections "layer" and "model": multiplies, attention, kernels that move data, and the gap between any two.
/// Left out where the samples hold none, or the set lacks 16-bit multiplies or the kernel of attention that they ran.
std::vector<SectionFit> check_layers(const std::vector<ProbeSamples>& all, const AcceleratorPart& part,
                                     const ParameterSet& set);

/// One launch of a "layer" or "model" sample; where it was sustained, at the clock that power allows.
/// @pre the set holds its attention and bf16 multiplies
Seconds predicted_layers(const ProbeSample& sample, const AcceleratorPart& part, const ParameterSet& set);

}  // namespace clusterwright
