// SPDX-License-Identifier: Apache-2.0
/// What a training framework of a given date does: order of dimensions, overlaps, kernels, host cost.
#pragma once

#include <optional>
#include <string>

#include "models/job/job.hpp"
#include "models/job/stack_experts.hpp"
#include "models/job/stack_kernels.hpp"
#include "models/job/stack_memory.hpp"
#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

/// Which ranks sit next to each other, innermost first.
enum class RankOrder { tensor_context_data_pipeline, tensor_context_pipeline_data };

/// How tensor-parallel collectives meet the multiplies beside them: one after the other, or cut into as many pieces as
/// there are ranks, so that all but one piece hides.
enum class TensorOverlap { none, pieces };

/// What selective recomputation computes again: unfused attention (nothing where attention is fused); every second
/// multiply and all that is element-wise; or all but the multiplies by weights.
enum class SelectiveRecompute { attention, every_second, all_but_multiplies };

/// Kernels that are launched from captured graphs, at no cost to the host: none; all but those between the dispatch of
/// tokens to experts and their return, whose shapes change; or all.
enum class GraphCapture { none, around_experts, all };

/// Micro-batches where nothing is said: the fastest; one for each virtual stage of a pipeline; or of one sequence.
enum class AssumedMicroBatch { fastest, one_per_stage, one_sequence };

struct SoftwareStack {
  std::string name;
  std::string source;
  std::string date;        ///< "2024-06": of the software that this file describes
  std::string calibrated;  ///< entry of the step calibration; empty: the name of the stack
  RankOrder rank_order = RankOrder::tensor_context_data_pipeline;
  std::string attention = "cudnn";        ///< kernel family in the parameter file
  bool overlap_weight_gradient = true;    ///< tensor-parallel collectives of the backward pass behind wgrad GEMMs
  bool overlap_gradient_reduce = true;    ///< data-parallel reduction behind the backward pass
  bool overlap_parameter_gather = true;   ///< sharded parameters gathered behind the next forward pass
  bool overlap_pipeline_messages = true;  ///< sends and receives on their own stream
  TensorOverlap tensor_overlap = TensorOverlap::none;
  ContextExchange context_exchange = ContextExchange::ring;
  bool balanced_context = true;           ///< context ranks take chunks from both ends of a causal sequence
  bool reduce_every_micro_batch = false;  ///< gradients are reduced after each micro-batch, not only the last
  std::optional<int> network_cards;       ///< of a node that its collectives use; absent: all
  bool regather_for_backward = true;      ///< sharded weights are freed after the forward pass of a layer
  int prefetched_layers = 1;              ///< gathers of sharded weights that run ahead of their layer
  SelectiveRecompute selective = SelectiveRecompute::attention;
  bool selective_latents =
      false;  ///< selective recomputation also expands latent vectors again instead of storing heads
  Recompute assumed_recompute = Recompute::none;  ///< that its users choose where nothing is said, if it fits
  AssumedMicroBatch assumed_micro_batch = AssumedMicroBatch::fastest;
  int most_virtual = 1024;        ///< chunks per stage that its users choose where nothing is said
  bool fused_elementwise = true;  ///< bias, dropout, activation, rotary fused with their neighbours
  bool lean_activations = false;  ///< norm and activation outputs are computed again instead of stored
  GraphCapture graph_capture = GraphCapture::none;
  Sourced<Seconds> kernel_launch;       ///< host time to issue one kernel that is in no captured graph
  Sourced<double> kernels_per_op;       ///< kernels that one op of the step graph stands for
  Sourced<double> kernels_per_message;  ///< kernels that take the host as long as one pipeline message
  Sourced<double> gradient_size;        ///< bytes per parameter of the buffer that gradients accumulate in
  Sourced<double> reduced_size;         ///< bytes per parameter that the reduction sends
  Sourced<double> gathered_size;        ///< bytes per parameter that gathers of sharded weights send, 8-bit runs apart
  bool narrow_gather = false;           ///< gathers send 8 bit in 8-bit runs
  Sourced<double> elementwise_traffic;  ///< of element-wise kernels, over that of hand-fused ones
  Sourced<Bytes> bucket;                ///< data-parallel bucket size
  StackKernels kernels;
  StackExperts experts;
  StackMemory memory;
  Sourced<Bytes> reserved_memory;  ///< context and libraries per device, outside the allocator
};
const Record<SoftwareStack>& record(const SoftwareStack*);

}  // namespace clusterwright
