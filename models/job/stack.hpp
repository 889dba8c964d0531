// SPDX-License-Identifier: Apache-2.0
/// What a training framework of a given date does: order of dimensions, overlaps, kernels, host cost.
#pragma once

#include <optional>
#include <string>

#include "models/job/job.hpp"
#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

/// Where the result of a block is added to the residual stream: in one kernel with the norm behind it, in a kernel of
/// its own, or by the block's last multiply, which adds to a copy of the stream (not where a tensor group splits it).
/// The backward passes of norms mirror that: gradients pass the sum, are added behind the norm, or by its kernel.
enum class ResidualSum { beside_norm, own_kernel, in_multiply };

/// How queries and keys are turned: all of queries, keys and values on their way into the layout of attention; or
/// queries and keys where they lie, and nothing without rotary positions.
enum class RotaryKernel { into_layout, in_place };

/// The numbers are bytes of device memory; defaults describe frameworks whose kernels vendors fused by hand.
struct StackKernels {
  ResidualSum residual = ResidualSum::beside_norm;
  RotaryKernel rotary = RotaryKernel::into_layout;
  bool fused_attention = true;  ///< one kernel a pass; else scores, softmax and values are kernels of their own
  /// Traffic of the activation's backward pass over that of its forward pass.
  Sourced<double> activation_backward{1.5, "the gradient joins what the forward pass read and wrote"};
  /// Per logit: forward, and backward unless the forward pass leaves the gradient (0).
  Sourced<double> loss{13, "docs/models.md, \"Head and loss\""};
  Sourced<double> loss_backward{13, "docs/models.md, \"Head and loss\""};
  /// Per element of the result of a weight-gradient multiply.
  Sourced<double> weight_gradient{8, "a sum in 32 bit is read and written"};
  /// Rows are looked up in one kernel and no other goes over them; gradients are added to a table that is cleared
  /// first.
  bool plain_embedding = false;
  /// Per parameter that a rank updates.
  Sourced<double> update{30, "Adam: gradient and three 32-bit states read, these and a 16-bit weight written"};
  bool clips_gradients = true;   ///< their norm over all ranks is taken in front of the update
  bool clears_gradients = true;  ///< gradients are added to a buffer that is cleared behind the update
  /// The processor that issues a kernel runs it, so that what a call costs beyond its work is not hidden.
  bool synchronous = false;
};
const Record<StackKernels>& record(const StackKernels*);

struct StackMemory {
  /// Bytes per logit at the peak of the loss: 16-bit logits, their 32-bit copy, results and gradients that coexist.
  Sourced<double> loss_size{6, "16-bit logits and a 32-bit copy that becomes its gradient in place"};
  /// The same where the tensor group splits the vocabulary, if it differs.
  std::optional<Sourced<double>> split_loss_size;
  /// Bytes per parameter of 16-bit gradients that stay beside the buffer that gradients accumulate in.
  Sourced<double> kept_gradient_size{0, "gradients are added to the buffer as they are computed"};
  /// Bytes per parameter that a rank updates, of 32-bit gradients that the optimizer holds beside those.
  Sourced<double> owned_gradient_size{0, "the optimizer reads the buffer that gradients accumulate in"};
  /// In runs of 8 bit and less: inputs of multiplies are kept narrow for the backward pass, and narrow copies of
  /// weights with their transposes for the step.
  bool narrow_copies = false;
  bool dropout = false;              ///< masks are kept, and what they were applied to
  bool keeps_logits = false;         ///< the last stage of a pipeline keeps the 16-bit logits of all micro-batches
  bool gathers_by_multiply = false;  ///< sharded weights are gathered matrix by matrix, not layer by layer
  Sourced<Bytes> staging{{}, "gradients and weights travel from where they are"};  ///< copies on the way of collectives
  /// Of one communicator.
  Sourced<Bytes> communicator{
      0.46 * gigabyte,
      "estimate: NCCL with 16 channels, a ring and two tree connections each, of 0.5 + 4.9 + 4.2 "
      "MB for its three protocols"};
  Sourced<double> slack{0.06, "estimate: freed blocks of an allocator that fit nothing, over what is in use"};
  bool reports_allocator = false;  ///< its peak memory leaves out what the allocator does not manage
};
const Record<StackMemory>& record(const StackMemory*);

/// How tokens travel to their experts: every copy by itself in one all-to-all of the collective library; or by kernels
/// that send one copy to each node and one to each rank inside it.
enum class ExpertTransfer { all_to_all, hierarchical };

struct StackExperts {
  ExpertTransfer transfer = ExpertTransfer::all_to_all;
  bool narrow_dispatch = false;   ///< tokens travel to experts in 8 bit where multiplies run in 8 bit
  bool overlap_shared = false;    ///< shared experts run while tokens travel
  bool overlap_exchange = false;  ///< a forward and a backward pass of two micro-batches hide each other's exchanges
  bool one_launch = false;        ///< the multiplies of all experts of a rank are one kernel; else one for each expert
  /// The host reads how many tokens each expert got before it issues what follows, so that it has no lead there.
  bool synchronises = true;
  /// Host time to issue one multiply, or one cast, of one expert; where they are launched one by one.
  Sourced<Seconds> launch{30 * microsecond, "estimate: a call of the library with its checks, descriptors and casts"};
  /// Of the experts' popularity within a micro-batch, where the job does not say.
  Sourced<double> imbalance{0.2, "estimate: what balancing losses leave within one micro-batch"};
};
const Record<StackExperts>& record(const StackExperts*);

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
