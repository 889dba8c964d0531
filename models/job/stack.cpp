// SPDX-License-Identifier: Apache-2.0
#include "models/job/stack.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "models/job/job.hpp"
#include "sim/field_table.hpp"

namespace clusterwright {

template <>
struct EnumNames<ResidualSum> {
  static constexpr std::array<std::string_view, 3> names = {"beside-norm", "own-kernel", "in-multiply"};
};
template <>
struct EnumNames<RotaryKernel> {
  static constexpr std::array<std::string_view, 2> names = {"into-layout", "in-place"};
};

namespace {

using KernelRecord = Record<StackKernels>;

void add_layer_kernels(KernelRecord& table) {
  using S = StackKernels;
  table
      .optional("residual", &S::residual,
                {.help = "kernel that adds the result of a block to the residual stream: one kernel with the following "
                         "norm, a separate kernel, or the block's last GEMM"})
      .optional("rotary", &S::rotary,
                {.help = "rotary embedding: applied while queries, keys and values are copied into the layout of "
                         "attention, or to queries and keys in place"})
      .optional("fused_attention", &S::fused_attention,
                {.help = "attention is one kernel per pass; otherwise scores, softmax and values are separate kernels"})
      .optional("activation_backward", &S::activation_backward,
                {.help = "traffic of the activation's backward pass over that of its forward pass", .min = 1, .max = 4})
      .optional("weight_gradient_bytes", &S::weight_gradient,
                {.help = "bytes moved per element of a weight gradient at the output of its GEMM", .min = 1, .max = 16})
      .optional("gradient_sum_bytes", &S::gradient_sum,
                {.help = "bytes moved per element of a weight gradient by separate kernels that add it to the buffer; "
                         "0: its GEMM adds",
                 .min = 0,
                 .max = 64})
      .optional("synchronous", &S::synchronous,
                {.help = "the processor that issues a kernel also runs it, so the fixed time of a call is not hidden"});
}

void add_end_kernels(KernelRecord& table) {
  using S = StackKernels;
  table.optional("loss_bytes", &S::loss, {.help = "bytes moved per logit in the forward pass", .min = 1, .max = 64})
      .optional("loss_backward_bytes", &S::loss_backward,
                {.help = "bytes moved per logit in the backward pass; 0: the forward pass writes the gradient",
                 .min = 0,
                 .max = 64})
      .optional("plain_embedding", &S::plain_embedding,
                {.help = "one kernel looks up the rows of the token table and no other kernel reads them; the gradient "
                         "of the table "
                         "is cleared first"})
      .optional("update_bytes", &S::update,
                {.help = "bytes moved per parameter that a rank updates, for gradient and states", .min = 4, .max = 64})
      .optional("update_clocks", &S::update_clocks,
                {.help = "clocks of one multiprocessor per parameter that a rank updates, beside the traffic of the "
                         "update; 0: the update takes the time of its traffic",
                 .min = 0,
                 .max = 16})
      .optional("clips_gradients", &S::clips_gradients,
                {.help = "the norm of the gradients over all ranks is computed before the update"})
      .optional("clears_gradients", &S::clears_gradients,
                {.help = "gradients are added to a buffer that is cleared after the update"});
}

}  // namespace

const Record<StackKernels>& record(const StackKernels*) {
  static const KernelRecord table = [] {
    KernelRecord out("stack_kernels", "Fusions and memory traffic of the kernels between GEMMs");
    add_layer_kernels(out);
    add_end_kernels(out);
    return out;
  }();
  return table;
}

const Record<StackMemory>& record(const StackMemory*) {
  using S = StackMemory;
  static const auto table =
      Record<S>("stack_memory", "Device memory that a framework keeps beyond what a step needs")
          .optional("loss_size_bytes", &S::loss_size,
                    {.help = "bytes per logit at the peak of the loss, all copies together", .min = 2, .max = 32})
          .optional("split_loss_size_bytes", &S::split_loss_size,
                    {.help = "bytes per logit at the peak of the loss if the tensor group splits the vocabulary; auto: "
                             "as loss_size_bytes",
                     .min = 2,
                     .max = 32})
          .optional(
              "kept_gradient_size_bytes", &S::kept_gradient_size,
              {.help = "bytes per parameter of gradients kept besides the accumulation buffer", .min = 0, .max = 8})
          .optional("owned_gradient_size_bytes", &S::owned_gradient_size,
                    {.help = "bytes of gradients that the optimizer holds, per parameter that a rank updates",
                     .min = 0,
                     .max = 8})
          .optional("narrow_copies", &S::narrow_copies,
                    {.help = "8-bit runs keep GEMM inputs and copies of weights in 8 bits"})
          .optional("wide_weights", &S::wide_weights,
                    {.help = "8-bit runs with narrow_copies keep the 16-bit weights of layers too"})
          .optional("narrow_activation_inputs", &S::narrow_activation_inputs,
                    {.help = "8-bit runs with narrow_copies keep inputs of the MLP's activation function in 8 bits"})
          .optional("attended_size_bytes", &S::attended_size,
                    {.help = "8-bit runs with narrow_copies keep the result of attention in one copy of this size per "
                             "element; not given: 16 bit and a narrow copy",
                     .min = 0,
                     .max = 8})
          .optional("master_size_bytes", &S::master_size,
                    {.help = "bytes per parameter of the weights that the optimizer updates: 4 for a copy beside "
                             "16-bit weights, 2 for these themselves",
                     .min = 2,
                     .max = 4})
          .optional("moment_size_bytes", &S::moment_size,
                    {.help = "size of each of the two moments of Adam, per parameter", .min = 0, .max = 8})
          .optional("dropout", &S::dropout, {.help = "models of this stack use dropout, so its masks are kept"})
          .optional("keeps_logits", &S::keeps_logits,
                    {.help = "the last stage of a pipeline keeps the logits of all micro-batches until the step ends"})
          .optional("whole_inputs", &S::whole_inputs,
                    {.help = "inputs of multiplies that a tensor group gathers are kept whole for the backward pass, "
                             "not gathered again"})
          .optional("gathers_by_multiply", &S::gathers_by_multiply,
                    {.help = "sharded weights are gathered matrix by matrix, not layer by layer"})
          .optional("frees_gradients", &S::frees_gradients,
                    {.help = "gradients that nobody else shares exist from their backward pass to the update, in no "
                             "buffer of their own"})
          .optional("staging_gb", &S::staging,
                    {.help = "staging buffers for collectives of gradients and weights", .min = 0})
          .optional("communicator_gb", &S::communicator, {.help = "buffers of one communicator", .min = 0})
          .optional("slack", &S::slack,
                    {.help = "memory that the allocator holds but that is not in use, over memory in use",
                     .min = 0,
                     .max = 1})
          .optional("unequal_slack", &S::unequal_slack,
                    {.help = "the same where experts get another number of rows in every step", .min = 0, .max = 1})
          .optional(
              "reports_allocator", &S::reports_allocator,
              {.help = "the peak memory that the framework reports counts only the allocator, without the context"});
  return table;
}

template <>
struct EnumNames<OffloadedTensors> {
  static constexpr std::array<std::string_view, 3> names = {"weights", "optimizer", "activations"};
};

bool may_shard(const std::optional<StackLayouts>& layouts, Sharding sharding) {
  return !layouts || std::ranges::find(layouts->shardings, sharding) != layouts->shardings.end();
}

std::optional<Sharding> weight_sharding(const std::optional<StackLayouts>& layouts) {
  return may_shard(layouts, Sharding::fsdp) ? std::optional(Sharding::fsdp) : std::nullopt;
}

Sharding usual_sharding(const std::optional<StackLayouts>& layouts) {
  // Gradients that are sharded too change nothing under several stages.
  if (may_shard(layouts, Sharding::zero1) || may_shard(layouts, Sharding::zero2)) return Sharding::zero1;
  return weight_sharding(layouts).value_or(Sharding::none);
}

const Record<StackLayouts>& record(const StackLayouts*) {
  using S = StackLayouts;
  static const auto table =
      Record<S>("stack_layouts",
                "Layouts that a framework can run; a list does not say which entries exclude each other")
          .required("source", &S::source,
                    {.help = "documentation or release notes that say so, and what they leave open"})
          .required("schedules", &S::schedules, {.help = "pipeline schedules; empty: no pipeline", .max_elements = 3})
          .required("shardings", &S::shardings,
                    {.help = "state that data-parallel ranks can shard; zero3 and fsdp are one layout with two names",
                     .max_elements = 6})
          .required("interleaves", &S::interleaves, {.help = "1f1b may have several virtual stages per stage"})
          .required("offload", &S::offload,
                    {.help = "tensors that can be kept outside the accelerator", .max_elements = 3})
          .required("context", &S::context, {.help = "context parallelism: ranks may split one sequence"})
          .required("expert_tensor", &S::expert_tensor,
                    {.help = "the tensor degree of experts may differ from that of the other layers"})
          .required("partial_recompute", &S::partial_recompute,
                    {.help = "full recomputation may cover only some of the layers of a stage"})
          .optional("activation_offload_alone", &S::activation_offload_alone,
                    {.help = "activations can be kept on the host only by a single stage that recomputes nothing"})
          .optional("any_order", &S::any_order,
                    {.help = "users choose the order of ranks; else it is always rank_order"});
  return table;
}

template <>
struct EnumNames<TensorOverlap> {
  static constexpr std::array<std::string_view, 2> names = {"none", "pieces"};
};
template <>
struct EnumNames<AssumedMicroBatch> {
  static constexpr std::array<std::string_view, 3> names = {"fastest", "one-per-stage", "one-sequence"};
};
template <>
struct EnumNames<GraphCapture> {
  static constexpr std::array<std::string_view, 3> names = {"none", "around-experts", "all"};
};
template <>
struct EnumNames<SelectiveRecompute> {
  static constexpr std::array<std::string_view, 3> names = {"attention", "every-second-multiply", "all-but-multiplies"};
};

namespace {

using StackRecord = Record<SoftwareStack>;

void add_overlaps(StackRecord& table) {
  using S = SoftwareStack;
  table
      .optional("overlap_weight_gradient", &S::overlap_weight_gradient,
                {.help = "tensor-parallel collectives of the backward pass overlap with weight-gradient GEMMs"})
      .optional("overlap_gradient_reduce", &S::overlap_gradient_reduce,
                {.help = "gradients are reduced during the backward pass"})
      .optional("overlap_parameter_gather", &S::overlap_parameter_gather,
                {.help = "sharded parameters are gathered during the next forward pass"})
      .optional("overlap_pipeline_messages", &S::overlap_pipeline_messages,
                {.help = "pipeline messages run on a stream of their own"})
      .optional("tensor_overlap", &S::tensor_overlap,
                {.help = "tensor-parallel collectives are cut into chunks that overlap with their GEMM"})
      .optional("context_exchange", &S::context_exchange,
                {.help = "how context-parallel ranks exchange keys and values"})
      .optional("balanced_context", &S::balanced_context,
                {.help = "context ranks take chunks from both ends of a causal sequence"})
      .optional("reduce_every_micro_batch", &S::reduce_every_micro_batch,
                {.help = "sharded gradients are reduced after every micro-batch; false: kept whole until the last"})
      .optional("network_cards", &S::network_cards,
                {.help = "NICs of a node that its collectives use; auto: all", .min = 1, .max = 64});
}

void add_recomputation(StackRecord& table) {
  using S = SoftwareStack;
  table
      .optional(
          "regather_for_backward", &S::regather_for_backward,
          {.help =
               "sharded weights are freed after the forward pass of a layer and gathered again for the backward pass"})
      .optional("prefetched_layers", &S::prefetched_layers,
                {.help = "number of layers by which gathers of sharded weights run ahead; 0: no overlap",
                 .min = 0,
                 .max = 1024})
      .optional("selective_recompute", &S::selective,
                {.help = "operations that selective recomputation computes again"})
      .optional(
          "selective_latents", &S::selective_latents,
          {.help = "selective recomputation also expands latent vectors again instead of storing the expanded ones"})
      .optional("assumed_recompute", &S::assumed_recompute,
                {.help = "recomputation assumed if a job does not say, unless more is needed to fit"})
      .optional("prunes_recompute", &S::prunes_recompute,
                {.help = "full recomputation leaves out what no gradient needs: the last multiply of an MLP, its "
                         "collective and its sum"})
      .optional("assumed_micro_batch", &S::assumed_micro_batch,
                {.help = "micro-batch assumed if a job does not say: the fastest that fits, as many micro-batches as "
                         "virtual stages, or one sequence"})
      .optional("most_virtual", &S::most_virtual,
                {.help = "maximum number of chunks per stage assumed if a job does not say", .min = 1, .max = 1024})
      .optional("fused_elementwise", &S::fused_elementwise,
                {.help = "bias, dropout, activation and rotary embedding are fused with their neighbours"})
      .optional("lean_activations", &S::lean_activations,
                {.help = "outputs of norms and activation functions are recomputed instead of stored"});
}

void add_host_times(StackRecord& table) {
  using S = SoftwareStack;
  table
      .required("kernel_launch_us", &S::kernel_launch,
                {.help = "host time to launch one kernel outside captured graphs", .min = 0})
      .optional("graph_capture", &S::graph_capture,
                {.help = "kernels launched from captured graphs: none, all except those between expert dispatch and "
                         "return, or all"})
      .required("kernels_per_op", &S::kernels_per_op,
                {.help = "number of kernels that one op of the step graph stands for", .min = 1, .max = 100})
      .required("kernels_per_message", &S::kernels_per_message,
                {.help = "number of kernel launches that take as much host time as one pipeline message",
                 .min = 1,
                 .max = 1000});
}

void add_traffic(StackRecord& table) {
  using S = SoftwareStack;
  table
      .required("gradient_size_bytes", &S::gradient_size,
                {.help = "bytes per parameter of the gradient accumulation buffer", .min = 1, .max = 8})
      .required("reduced_size_bytes", &S::reduced_size,
                {.help = "bytes per parameter that gradient reduction sends", .min = 1, .max = 8})
      .required("gathered_size_bytes", &S::gathered_size,
                {.help = "bytes per parameter that gathers of sharded weights send", .min = 1, .max = 8})
      .optional("narrow_gather", &S::narrow_gather, {.help = "gathers send 8-bit weights in 8-bit runs"})
      .required(
          "elementwise_traffic", &S::elementwise_traffic,
          {.help = "memory traffic of element-wise kernels over that of kernels fused by hand", .min = 0.2, .max = 5})
      .required("bucket_mb", &S::bucket, {.help = "size of a data-parallel bucket", .min = 0, .above_min = true});
}

}  // namespace

const Record<LatentKernels>& record(const LatentKernels*) {
  using L = LatentKernels;
  static const auto table =
      Record<L>("latent_kernels", "Architecture on which latent attention was trained without a fused kernel")
          .required("architecture", &L::architecture, {.help = "architecture of accelerators, such as Hopper"})
          .optional("since", &L::since, {.help = "date of the first release with a fused kernel; not given: none"})
          .required("source", &L::source, {.help = "origin of this entry"});
  return table;
}

namespace {

StackRecord make_record() {
  using S = SoftwareStack;
  StackRecord table("stack", "What a training framework of a given date does");
  table.required("name", &S::name, {.help = "name of the stack"})
      .required("source", &S::source, {.help = "origin of this description"})
      .optional("date", &S::date, {.help = "date of the software, such as 2024-06"})
      .optional(
          "calibrated", &S::calibrated,
          {.help = "entry of the step calibration that describes this stack; empty: that of stacks without measured "
                   "steps"})
      .optional("rank_order", &S::rank_order,
                {.help = "order of the dimensions of parallelism over ranks, innermost first"})
      .optional("site_reduction", &S::site_reduction,
                {.help = "reduction of gradients between replicas on several sites: one ring through all ranks, or "
                         "inside each site first"})
      .optional("attention", &S::attention, {.help = "attention kernel family, an entry of the parameter file"})
      .optional("latent_kernels", &S::latent_kernels,
                {.help = "architectures on which attention over keys and values of different widths was not fused in "
                         "training before a release"});
  add_overlaps(table);
  add_recomputation(table);
  add_host_times(table);
  add_traffic(table);
  table.optional("kernels", &S::kernels, {.help = "fusions and memory traffic of the kernels between GEMMs"})
      .optional("experts", &S::experts, {.help = "handling of mixtures of experts"})
      .optional("memory", &S::memory, {.help = "device memory that the framework keeps beyond what a step needs"})
      .required("reserved_memory_gb", &S::reserved_memory,
                {.help = "memory of context and libraries per accelerator, outside the allocator", .min = 0})
      .optional("layouts", &S::layouts,
                {.help = "layouts that the framework can run; not given: not known, a search considers all"});
  return table;
}

}  // namespace

const Record<SoftwareStack>& record(const SoftwareStack*) {
  static const StackRecord table = make_record();
  return table;
}

}  // namespace clusterwright
