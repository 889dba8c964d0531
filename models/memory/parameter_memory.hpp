/// Weights, gradients and optimizer state of one rank, by sharding, offload and what is trained.
#pragma once

#include "models/memory/memory_case.hpp"

namespace clusterwright {

/// Parameters of the head and the last norm, of the whole tensor group. A tied head keeps a copy of the table when it is
/// not on the stage of the embedding.
double head_weights(const MemoryCase& c);

/// Parameters that one rank of `stage` holds (before sharding over data-parallel ranks).
double local_parameters(const MemoryCase& c, int stage);

/// Those of them that have gradients: all, or low-rank adapters.
double trained_parameters(const MemoryCase& c, int stage);

/// Adam in mixed precision: 16-bit weights, gradients in what the stack accumulates in, three 32-bit states. ZeRO
/// shares states, gradients and weights out in this order. PyTorch FSDP keeps no 16-bit weights: its shards are the
/// 32-bit master weights, and 16-bit ones exist only while they are gathered.
Bytes weight_memory(const MemoryCase& c, int stage);
Bytes gradient_memory(const MemoryCase& c, int stage);
Bytes optimizer_memory(const MemoryCase& c, int stage);

/// Where gradients are scattered layer by layer: those of the layer that runs backward in 16 bit, the copy that
/// travels, and those of embedding and head, which are scattered last. None exist yet at the loss.
Bytes passing_gradients(const MemoryCase& c, int stage);

/// Sharded weights that are whole at one instant: embedding and head, which one unit holds through the micro-batch, the
/// present layer, those that run ahead, and one that is copied out of its collective. Under a pipeline, all.
/// @source PyTorch FSDP notes on prefetching; docs/models.md, "Memory"
Bytes gathered_memory(const MemoryCase& c, int stage);

}  // namespace clusterwright
