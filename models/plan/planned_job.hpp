// SPDX-License-Identifier: Apache-2.0
/// Job under a plan: everything that decides the memory of a rank, and facts that follow.
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

/// Job under a plan; keeps references to all arguments but the job.
PlannedJob planned_job(const Transformer& model, const Job& job, const SoftwareStack& stack, const Plan& plan,
                       const StageLayout& layout);

/// Tokens of one micro-batch on one rank.
double local_tokens(const PlannedJob& planned);

/// Ranks among which tensors of the residual stream are split: the tensor group with sequence parallelism, else none.
double residual_split(const PlannedJob& planned);

/// Ranks of a tensor group that hold a copy of one head of keys and values: 1 where there is a head for each.
double key_value_copies(const PlannedJob& planned);

/// Ranks that share one copy of sharded tensors.
double shard_ranks(const PlannedJob& planned);

/// Ranks that share one copy of the routed experts that they all hold.
double expert_shard_ranks(const PlannedJob& planned);

/// Whether the two copies of the weights under DualPipe share one optimizer state: under ZeRO-1 and 2, whose weights
/// are gathered anyway.
bool copies_share_optimizer(const PlannedJob& planned);

/// Whether weights are gathered layer by layer for each pass, from other ranks or from the host, and freed again. Under
/// a pipeline they are gathered once a step.
bool streams_weights(const PlannedJob& planned);

/// Whether the master weights themselves are sharded (PyTorch), not a copy beside 16-bit weights.
bool shards_master_weights(const PlannedJob& planned);

/// Bytes per parameter of the master weights that are kept beside 16-bit ones: none where these are updated themselves.
double master_copy_size(const PlannedJob& planned);

/// Bytes per parameter of Adam's two moments and of the master weights, if these are `beside` the weights.
double optimizer_state_size(const PlannedJob& planned, bool beside);

/// Level of the optimizer states: the job's; if that is the device and the weights are the master weights, the level of
/// the weights.
MemoryLevel optimizer_level(const PlannedJob& planned);

/// Whether the optimizer runs on the host: if its states are there or on drives. The accelerator fetches and updates
/// states in a pool.
bool updates_on_host(const PlannedJob& planned);

/// Bytes per parameter that a gather of layers sends. Embedding and head travel as `SoftwareStack::gathered_size` says.
double gathered_layer_size(const PlannedJob& planned);

/// Bytes of one GEMM operand element: 2, or less if the job runs in 8 or 4 bits, scales included.
double element_size(Precision precision);

/// Bytes of one element of activations between kernels: 2, in fp32 4.
double activation_size(Precision precision);

/// Whether 8-bit copies are kept: the job runs in 8 bits or less, and the stack keeps them.
bool keeps_narrow_copies(const PlannedJob& planned);

/// Whether queries, keys and values are expanded again from stored latent vectors.
bool expands_latents_again(const PlannedJob& planned);

/// Whether attention scores are written to memory, not kept on chip.
bool stores_scores(const PlannedJob& planned);

}  // namespace clusterwright
