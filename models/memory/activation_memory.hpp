// SPDX-License-Identifier: Apache-2.0
/// Activations of one rank: those that layers keep from forward to backward, and temporary ones.
#pragma once

#include <vector>

#include "models/memory/held_micro_batches.hpp"
#include "models/plan/planned_job.hpp"

namespace clusterwright {

/// Bytes that one layer of a kind keeps on one rank from forward to backward of one micro-batch.
/// @param lean  whether it stores as the plan's recomputation says, not everything: lean_layers()
/// @source Korthikanti et al. 2022, section 4, extended to grouped queries, gated MLPs, fused attention and context
/// parallelism; docs/models/memory.md, "Activations of a layer"
/// @pre the model has layers of the kind
Bytes layer_activations(const PlannedJob& planned, LayerKind kind, bool lean);
/// The same for a lean layer of the kind that keeps most.
Bytes layer_activations(const PlannedJob& planned);

/// Number of the first layers of a chunk that store as the plan's recomputation says. The others store everything.
int lean_layers(const PlannedJob& planned, int stage, int chunk);

/// Bytes that one micro-batch copies off a rank of the stage, and back, where activations leave the device: those of
/// each layer of its chunks.
Bytes copied_activations(const PlannedJob& planned, int stage);

/// Temporary bytes of the backward pass of one layer: recomputed activations, and gradients of activations.
Bytes layer_working_set(const PlannedJob& planned);

/// Stored activations of all micro-batches that a stage has in flight, at the fullest instant of the schedule. Tensors
/// for deferred weight gradients are kept until then. With activations beyond the device, only the layer that runs and
/// the one that travels count.
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
