// SPDX-License-Identifier: Apache-2.0
/// The layer and the small model that the GPU probe times (calibration/probes/transformer_layer.cu,
/// transformer_model.cu), as the product describes a training job.
#pragma once

#include "calibration/sample_files/probe_samples.hpp"
#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"

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

}  // namespace clusterwright
