// SPDX-License-Identifier: Apache-2.0
/// Activations of one rank: those that layers keep from forward to backward, and temporary ones.
#pragma once

#include <vector>

#include "models/memory/held_micro_batches.hpp"
#include "models/plan/planned_job.hpp"

namespace clusterwright {

/// Bytes that one layer keeps on one rank from forward to backward of one micro-batch; the kind of layer that keeps
/// most.
/// @source Korthikanti et al. 2022, section 4, extended to grouped queries, gated MLPs, fused attention and context
/// parallelism; docs/models/memory.md, "Activations of a layer"
Bytes layer_activations(const PlannedJob& planned);

/// Temporary bytes of the backward pass of one layer: recomputed activations, and gradients of activations.
Bytes layer_working_set(const PlannedJob& planned);

/// Stored activations of all micro-batches that a stage has in flight, at the fullest instant of the schedule. Tensors
/// for deferred weight gradients are kept until then. With activations in host memory, only the layer that runs and the
/// one that travels count.
Bytes stored_activations(const PlannedJob& planned, int stage);

/// Bytes that a micro-batch keeps on a chunk: from its forward to its backward pass, and on to its weight gradients.
struct ChunkBytes {
  Bytes stored, kept;
};
std::vector<ChunkBytes> bytes_by_chunk(const PlannedJob& planned, int stage);

/// The same as stored_activations() for whoever asks for many stages and plans alike.
/// @param instants  fullest_instants() of the stage
Bytes stored_activations(const PlannedJob& planned, int stage, const std::vector<ChunkBytes>& chunks,
                         const std::vector<HeldMicroBatches>& instants);

/// Output of the last norm, logits and loss of one micro-batch on the stage that holds the head; zero elsewhere.
Bytes logit_memory(const PlannedJob& planned, int stage);

}  // namespace clusterwright
