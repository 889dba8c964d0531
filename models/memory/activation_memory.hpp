// SPDX-License-Identifier: Apache-2.0
/// Activations of one rank: what layers keep from forward to backward, and what exists in passing.
#pragma once

#include "models/plan/planned_job.hpp"

namespace clusterwright {

/// Bytes that one layer, of the kind that keeps most, keeps from forward to backward for one micro-batch, on one rank.
/// @source Korthikanti et al. 2022, section 4, extended to grouped queries, gated MLPs, fused attention and context
/// parallelism; docs/models/memory.md, "Activations of a layer"
Bytes layer_activations(const PlannedJob& planned);

/// While one layer runs its backward pass: activations that it computes again, and gradients of activations.
Bytes layer_working_set(const PlannedJob& planned);

/// Stored activations of all micro-batches that a stage has in flight, at the fullest instant of the schedule. Where
/// weight gradients are put off, what they need is kept until then. With activations in host memory, stored ones are
/// those of the layer that runs and of the one that travels.
Bytes stored_activations(const PlannedJob& planned, int stage);

/// Output of the last norm, logits and loss of one micro-batch on the stage that holds the head; zero elsewhere.
Bytes logit_memory(const PlannedJob& planned, int stage);

}  // namespace clusterwright
