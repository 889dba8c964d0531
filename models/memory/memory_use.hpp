// SPDX-License-Identifier: Apache-2.0
/// Memory of the fullest rank by kind, and whether it fits.
#pragma once

#include "models/memory/activation_memory.hpp"
#include "models/memory/parameter_memory.hpp"
#include "models/plan/planned_job.hpp"

namespace clusterwright {

/// Memory of the fullest rank, by kind.
struct MemoryUse {
  Bytes weights;
  Bytes gradients;
  Bytes optimizer;
  Bytes gathered;     ///< sharded weights that are whole at the peak
  Bytes activations;  ///< stored activations at the peak of the schedule
  Bytes working;      ///< recomputed activations and gradients of the layer that runs backward
  Bytes logits;       ///< head and loss of the last stage, at the same instant
  Bytes buffers;      ///< communication buffers
  Bytes reserved;     ///< context, allocator and libraries
  int stage = 0;      ///< pipeline stage of that rank

  /// Bytes that follow from the number of parameters.
  Bytes counted() const { return weights + gradients + optimizer; }
  Bytes total() const { return counted() + gathered + activations + working + logits + buffers + reserved; }
};

/// 90 % interval of a total.
struct MemoryRange {
  Bytes low, high;
};
/// @param residual  standard deviation of the logarithm of what is not counted(); models/job/step_calibration.hpp
MemoryRange memory_range(const MemoryUse& use, double residual);

/// Memory of a rank that its parameters decide.
struct ParameterUse {
  Bytes weights, gradients, optimizer, gathered;
  Bytes passing;                 ///< gradients of the layer that runs backward, where they are not kept
  bool fresh_gradients = false;  ///< gradients_come_late()
};
ParameterUse parameter_use(const PlannedJob& planned, int stage);

/// Memory of a rank that its micro-batches decide.
struct ActivationUse {
  Bytes stored;   ///< stored_activations()
  Bytes logits;   ///< logit_memory()
  Bytes working;  ///< working_memory()
};
/// Recomputed activations, gradients and buffers of the layer that runs backward.
Bytes working_memory(const PlannedJob& planned);

struct BufferUse {
  Bytes exchange;           ///< buffers of messages and reductions
  Bytes outside_allocator;  ///< communicators and registered buffers
  double slack = 0;         ///< of the allocator, over all that it manages
};
BufferUse buffer_use(const PlannedJob& planned);

/// Memory of a rank out of its parts; the stage stays 0.
MemoryUse joined(const ParameterUse& parameters, const ActivationUse& activations, const BufferUse& buffers,
                 const SoftwareStack& stack);

/// Memory of one rank of `stage` at the worst instant of the schedule: at the loss, or in a layer's backward pass.
MemoryUse memory_of_stage(const PlannedJob& planned, int stage);

/// Memory of the stage that needs most.
MemoryUse worst_memory(const PlannedJob& planned);

/// Bytes outside the framework's allocator: context, libraries, communicators and registered buffers.
Bytes outside_allocator(const PlannedJob& planned);

}  // namespace clusterwright
