// SPDX-License-Identifier: Apache-2.0
/// Everything that decides how much a rank stores.
#pragma once

#include "models/job/job.hpp"
#include "models/job/stack.hpp"
#include "models/job/transformer.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/stage_layout.hpp"

namespace clusterwright {

struct PlannedJob {
  const Transformer& model;
  const Plan& plan;
  const StageLayout& layout;
  const SoftwareStack& stack;
  int sequence = 0;
  int lora_rank = 0;         ///< 0: all weights are trained
  double sample_tokens = 0;  ///< mean length of packed samples; 0: one sample fills the sequence
  Precision precision = Precision::bf16;
  Offload offload = {};
  ExpertRouting routing = {};
};

/// The case of a job under a plan; keeps references to all but the job.
PlannedJob planned_job(const Transformer& model, const Job& job, const SoftwareStack& stack, const Plan& plan,
                       const StageLayout& layout);

/// Tokens of one micro-batch on one rank.
double local_tokens(const PlannedJob& planned);

/// Ranks among which tensors of the residual stream are split: the tensor group with sequence parallelism, else none.
double residual_split(const PlannedJob& planned);

/// Ranks that share one copy of what is sharded.
double shard_ranks(const PlannedJob& planned);

/// Ranks that share one copy of the routed experts that they all hold.
double expert_shard_ranks(const PlannedJob& planned);

/// The two copies of the weights under DualPipe share one optimizer state: ZeRO-1 and 2, whose weights are gathered
/// anyway.
bool copies_share_optimizer(const PlannedJob& planned);

/// Weights are gathered layer by layer for each pass and freed again, from other ranks or from the host. Under a
/// pipeline they are gathered once a step.
bool streams_weights(const PlannedJob& planned);

/// The master weights themselves are sharded (PyTorch), not a copy beside 16-bit weights.
bool shards_master_weights(const PlannedJob& planned);

/// Where optimizer states are: with master weights that are the weights, these may take them along.
MemoryLevel optimizer_level(const PlannedJob& planned);

/// The optimizer runs on the host where its states are there or on drives. A pool computes nothing: the accelerator
/// updates states that it fetches.
bool updates_on_host(const PlannedJob& planned);

/// Bytes per parameter that a gather of layers sends. Embedding and head travel as `SoftwareStack::gathered_size` says.
double gathered_layer_size(const PlannedJob& planned);

/// Bytes of one element as multiplies read it: 2, or less where the job runs in 8 bit or 4, scales included.
double element_size(Precision precision);

/// Bytes of one element of what kernels hand to each other: 2, in fp32 4.
double activation_size(Precision precision);

/// Narrow copies are kept: the job runs in 8 bit or less, and the stack keeps them.
bool keeps_narrow_copies(const PlannedJob& planned);

/// Queries, keys and values are expanded again from stored latent vectors.
bool expands_latents_again(const PlannedJob& planned);

/// Scores are written to memory, not kept on chip.
bool stores_scores(const PlannedJob& planned);

}  // namespace clusterwright
