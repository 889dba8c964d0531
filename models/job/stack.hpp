// SPDX-License-Identifier: Apache-2.0
/// Training framework of a given date: order of ranks, overlaps, kernels, host time, memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/job/job.hpp"
#include "models/job/stack_experts.hpp"
#include "sim/calendar_date.hpp"
#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

/// Kernel that adds the result of a block to the residual stream: the one of the norm behind it, one of its own, or the
/// block's last GEMM, which adds to a copy of the stream (not where a tensor group splits it). The backward passes of
/// norms mirror that: gradients pass the sum, are added behind the norm, or by its kernel.
enum class ResidualSum { beside_norm, own_kernel, in_multiply };

/// Kernel that rotates queries and keys: one that moves queries, keys and values into the layout of attention; or one
/// that works in place, and does not run without rotary positions.
enum class RotaryKernel { into_layout, in_place };

/// Kernels between GEMMs. Numbers are bytes of device memory; defaults describe frameworks with hand-fused kernels.
struct StackKernels {
  ResidualSum residual = ResidualSum::beside_norm;
  RotaryKernel rotary = RotaryKernel::into_layout;
  bool fused_attention = true;  ///< one kernel per pass; else one each for scores, softmax and values
  /// Traffic of the activation's backward pass over that of its forward pass.
  Sourced<double> activation_backward{1.5, "the gradient joins what the forward pass read and wrote"};
  /// Bytes per logit: forward, and backward unless the forward pass leaves the gradient (0).
  Sourced<double> loss{13, "docs/models.md, \"Head and loss\""};
  Sourced<double> loss_backward{13, "docs/models.md, \"Head and loss\""};
  /// Bytes per element of the result of a weight-gradient GEMM.
  Sourced<double> weight_gradient{8, "a sum in 32 bit is read and written"};
  /// Bytes per element of a weight gradient that kernels behind its GEMM move to add it to the buffer; 0: the GEMM
  /// adds.
  Sourced<double> gradient_sum{0, "the GEMM adds to the buffer"};
  /// Embedding with one kernel that looks rows up and none behind it; gradients are added to a table that is cleared
  /// first.
  bool plain_embedding = false;
  /// Bytes per parameter that a rank updates.
  Sourced<double> update{30, "Adam: gradient and three 32-bit states read, these and a 16-bit weight written"};
  /// Clocks of one multiprocessor per parameter that the update takes beside its traffic; 0: it streams.
  Sourced<double> update_clocks{
      0.44,
      "fused AdamW of PyTorch 2.11 in 37 steps on an H100 and an H200, 2026-11-28: 1.7 to 2.1 "
      "ps a parameter beyond its bytes, 0.37 to 0.47 clocks; Apex and Transformer Engine "
      "have the same kernel over lists of tensors"};
  bool clips_gradients = true;   ///< computes their norm over all ranks in front of the update
  bool clears_gradients = true;  ///< adds gradients to a buffer that is cleared behind the update
  /// Kernels run on the processor that issues them, so that the overhead of a call is not hidden.
  bool synchronous = false;
  bool operator==(const StackKernels&) const = default;
};
const Record<StackKernels>& record(const StackKernels*);

/// Device memory that a framework uses beyond the tensors of a step.
struct StackMemory {
  /// Bytes per logit at the peak of the loss: 16-bit logits, their 32-bit copy, results and gradients that coexist.
  Sourced<double> loss_size{6, "16-bit logits and a 32-bit copy that becomes its gradient in place"};
  /// Bytes per logit at that peak if the tensor group splits the vocabulary; absent: loss_size.
  std::optional<Sourced<double>> split_loss_size;
  /// Bytes per parameter of 16-bit gradients that are kept beside the accumulation buffer.
  Sourced<double> kept_gradient_size{0, "gradients are added to the buffer as they are computed"};
  /// Bytes of 32-bit gradients that the optimizer holds beside those, per parameter that a rank updates.
  Sourced<double> owned_gradient_size{0, "the optimizer reads the buffer that gradients accumulate in"};
  /// Runs in 8 bits or less keep GEMM inputs in that format for the backward pass, and copies of weights with their
  /// transposes for the step.
  bool narrow_copies = false;
  /// What such runs keep beside or instead: 16-bit weights of layers; inputs of the activation function of an MLP in 8
  /// bits; the result of attention, for its own backward pass and the projection's, in one copy of this many bytes an
  /// element (absent: 16 bit and the narrow copy).
  bool wide_weights = true;
  bool narrow_activation_inputs = false;
  std::optional<Sourced<double>> attended_size;
  /// Bytes per parameter of the weights that the optimizer updates: 4 for a master copy beside 16-bit weights (FSDP
  /// shards that copy alone), 2 if it updates the 16-bit weights themselves.
  Sourced<double> master_size{4, "master weights in 32 bit"};
  /// Bytes of each of Adam's two moments, per parameter that a rank updates.
  Sourced<double> moment_size{4, "moments in 32 bit"};
  bool dropout = false;              ///< models use dropout: masks are kept, and the tensors under them
  bool keeps_logits = false;         ///< keeps the 16-bit logits of all micro-batches on the last stage
  bool whole_inputs = false;         ///< keeps what tensor groups gather, instead of gathering it again backward
  bool gathers_by_multiply = false;  ///< sharded weights are gathered by matrix, not by layer
  bool frees_gradients = false;      ///< gradients exist from their backward pass to the update; no buffer holds them
  Sourced<Bytes> staging{
      {}, "gradients and weights travel from where they are"};  ///< buffers that collectives copy through
  /// Buffers of one communicator.
  Sourced<Bytes> communicator{
      0.46 * gigabyte,
      "estimate: NCCL with 16 channels, a ring and two tree connections each, of 0.5 + 4.9 + 4.2 "
      "MB for its three protocols"};
  Sourced<double> slack{
      0.06,
      "freed blocks of an allocator that fit nothing, over what is in use: 0.02 to 0.16, median 0.066, "
      "in ten dense steps of PyTorch 2.11, reserved over allocated at their peaks, 2026-11-28"};
  /// The same where experts get another number of rows in every step, whose tensors fit no block of the step before;
  /// absent: slack, as frameworks whose allocator maps pages instead of blocks (expandable segments).
  std::optional<Sourced<double>> unequal_slack;
  bool reports_allocator = false;  ///< reported peak memory is that of the allocator alone
  bool operator==(const StackMemory&) const = default;
};
const Record<StackMemory>& record(const StackMemory*);

/// Overlap of tensor-parallel collectives with the GEMMs beside them: none, or both cut into one chunk per rank, so
/// that all but one chunk is hidden.
enum class TensorOverlap { none, pieces };

/// Work that selective recomputation repeats: unfused attention (nothing if attention is fused); every second GEMM and
/// all element-wise kernels; or everything but the GEMMs with weights.
enum class SelectiveRecompute { attention, every_second, all_but_multiplies };

/// Kernels that are launched from captured graphs, which takes no host time: none; all but those between the dispatch
/// of tokens to experts and their return, whose shapes change; or all.
enum class GraphCapture { none, around_experts, all };

/// Micro-batch of jobs that state none: the fastest; one micro-batch for each virtual stage; or one sequence.
enum class AssumedMicroBatch { fastest, one_per_stage, one_sequence };

/// Tensors of a rank that may lie outside the device, as `Offload` names them.
enum class OffloadedTensors { weights, optimizer, activations };

/// Layouts that a framework can run. Each list stands for itself; which entries exclude each other is not said, offload
/// of activations aside.
struct StackLayouts {
  std::string source;                       ///< documentation or release notes, and anything that was not verified
  std::vector<PipelineSchedule> schedules;  ///< empty: no pipeline
  std::vector<Sharding> shardings;
  bool interleaves = false;               ///< 1f1b may have several chunks per stage
  std::vector<OffloadedTensors> offload;  ///< tensors that it can keep on the host
  bool context = false;                   ///< ranks may split one sequence
  bool expert_tensor = false;             ///< the tensor degree of experts may differ from that of other layers
  bool partial_recompute = false;         ///< full recomputation of some of the layers of a stage
  /// Activations go to the host only from a single stage that recomputes nothing.
  bool activation_offload_alone = false;
  bool any_order = false;  ///< users choose whether data or pipeline ranks are neighbours; else `rank_order`
  bool operator==(const StackLayouts&) const = default;
};
const Record<StackLayouts>& record(const StackLayouts*);

/// Sharding of a job that leaves it open: that of the optimizer states, where the stack has it or does not say; else
/// that of weights, else none.
Sharding usual_sharding(const std::optional<StackLayouts>& layouts);
/// Whether the stack has a sharding, or does not say.
bool may_shard(const std::optional<StackLayouts>& layouts, Sharding sharding);
/// Sharding of weights, if the stack has it or does not say; zero3 is the same by another name.
std::optional<Sharding> weight_sharding(const std::optional<StackLayouts>& layouts);

/// Kernel family of attention whose scores, softmax and values are kernels of their own.
inline constexpr const char* unfused_kernels = "unfused";

/// Architecture on which a stack trained attention over keys and values of different widths (latent attention) without
/// a kernel of its own: scores, softmax and values one after the other.
struct LatentKernels {
  std::string architecture;  ///< as `architecture_of` names it
  CalendarDate since;        ///< first release with a fused kernel; not known: none has one
  std::string source;
  bool operator==(const LatentKernels&) const = default;
};
const Record<LatentKernels>& record(const LatentKernels*);

/// Fields of a stack file.
struct SoftwareStack {
  std::string name;
  std::string source;
  CalendarDate date;       ///< date of the software
  std::string calibrated;  ///< entry of the step calibration; empty: that of stacks without measured steps
  RankOrder rank_order = RankOrder::tensor_context_data_pipeline;
  SiteReduction site_reduction = SiteReduction::flat;  ///< of gradients between replicas on several sites
  std::string attention = "cudnn";                     ///< kernel family in the parameter file
  std::vector<LatentKernels> latent_kernels;  ///< latent attention is fused on architectures that are not named
  bool overlap_weight_gradient = true;        ///< tensor-parallel collectives of the backward pass overlap wgrad GEMMs
  bool overlap_gradient_reduce = true;        ///< data-parallel reduction overlaps the backward pass
  bool overlap_parameter_gather = true;       ///< gathers of sharded parameters overlap the next forward pass
  bool overlap_pipeline_messages = true;      ///< sends and receives on their own stream
  TensorOverlap tensor_overlap = TensorOverlap::none;
  ContextExchange context_exchange = ContextExchange::ring;
  bool balanced_context = true;  ///< context ranks take chunks from both ends of a causal sequence
  /// Sharded gradients are reduced after each micro-batch, not only after the last, up to which they are kept whole.
  bool reduce_every_micro_batch = true;
  std::optional<int> network_cards;   ///< NICs of a node that collectives use; absent: all
  bool regather_for_backward = true;  ///< sharded weights are freed after the forward pass of a layer
  int prefetched_layers = 1;          ///< gathers of sharded weights that run ahead of their layer
  SelectiveRecompute selective = SelectiveRecompute::attention;
  bool selective_latents =
      false;  ///< selective recomputation also expands latent vectors again instead of storing heads
  Recompute assumed_recompute = Recompute::none;  ///< usual choice of its users, if it fits
  /// Full recomputation leaves out what no gradient needs: the last multiply of an MLP, its collective and its sum.
  bool prunes_recompute = false;
  AssumedMicroBatch assumed_micro_batch = AssumedMicroBatch::fastest;
  int most_virtual = 1024;        ///< most chunks per stage where a job states none
  bool fused_elementwise = true;  ///< bias, dropout, activation, rotary fused with their neighbours
  bool lean_activations = false;  ///< norm and activation outputs are computed again instead of stored
  GraphCapture graph_capture = GraphCapture::none;
  Sourced<Seconds> kernel_launch;       ///< host time to issue one kernel that is in no captured graph
  Sourced<double> kernels_per_op;       ///< kernels that one op of the step graph stands for
  Sourced<double> kernels_per_message;  ///< kernels that take the host as long as one pipeline message
  Sourced<double> gradient_size;        ///< bytes per parameter of the buffer that gradients accumulate in
  Sourced<double> reduced_size;         ///< bytes per parameter that the reduction sends
  Sourced<double> gathered_size;  ///< bytes per parameter that gathers of sharded weights send, except in 8-bit runs
  bool narrow_gather = false;     ///< gathers send 8 bit in 8-bit runs
  Sourced<double> elementwise_traffic;  ///< traffic of element-wise kernels over that of hand-fused ones
  Sourced<Bytes> bucket;                ///< data-parallel bucket size
  StackKernels kernels;
  StackExperts experts;
  StackMemory memory;
  Sourced<Bytes> reserved_memory;       ///< context and libraries per device, outside the allocator
  std::optional<StackLayouts> layouts;  ///< absent: not known, so that a search considers every layout
  bool operator==(const SoftwareStack&) const = default;
};
const Record<SoftwareStack>& record(const SoftwareStack*);

}  // namespace clusterwright
