// SPDX-License-Identifier: Apache-2.0
#include "models/job/stack.hpp"

#include "models/job/job_enum_names.hpp"

namespace clusterwright {

template <>
struct EnumNames<RankOrder> {
  static constexpr std::array<std::string_view, 2> names = {"tensor-context-data-pipeline",
                                                            "tensor-context-pipeline-data"};
};

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
                {.help = "tensor-parallel collectives of the backward pass run behind weight-gradient multiplies"})
      .optional("overlap_gradient_reduce", &S::overlap_gradient_reduce,
                {.help = "gradients are reduced while the backward pass goes on"})
      .optional("overlap_parameter_gather", &S::overlap_parameter_gather,
                {.help = "sharded parameters are gathered while the next forward pass goes on"})
      .optional("overlap_pipeline_messages", &S::overlap_pipeline_messages,
                {.help = "pipeline messages have a stream of their own"})
      .optional("tensor_overlap", &S::tensor_overlap,
                {.help = "tensor-parallel collectives are cut into pieces that hide behind their multiply"})
      .optional("context_exchange", &S::context_exchange,
                {.help = "how context-parallel ranks bring queries and keys together"})
      .optional("balanced_context", &S::balanced_context,
                {.help = "context ranks take chunks from both ends of a causal sequence"})
      .optional("reduce_every_micro_batch", &S::reduce_every_micro_batch,
                {.help = "gradients are reduced after each micro-batch, not only after the last"})
      .optional("network_cards", &S::network_cards,
                {.help = "network cards of a node that its collectives use; auto: all", .min = 1, .max = 64});
}

void add_recomputation(StackRecord& table) {
  using S = SoftwareStack;
  table
      .optional("regather_for_backward", &S::regather_for_backward,
                {.help = "sharded weights are freed after the forward pass of a layer and gathered again"})
      .optional("prefetched_layers", &S::prefetched_layers,
                {.help = "gathers of sharded weights that run ahead of their layer; 0: nothing overlaps",
                 .min = 0,
                 .max = 1024})
      .optional("selective_recompute", &S::selective, {.help = "what selective recomputation computes again"})
      .optional(
          "selective_latents", &S::selective_latents,
          {.help = "selective recomputation also expands latent vectors again instead of storing what they become"})
      .optional("assumed_recompute", &S::assumed_recompute,
                {.help = "recomputation that its users choose, if more than what fits"})
      .optional("assumed_micro_batch", &S::assumed_micro_batch,
                {.help = "micro-batch that its users choose: the fastest that fits, as many as virtual stages, or of "
                         "one sequence"})
      .optional("most_virtual", &S::most_virtual,
                {.help = "chunks per stage that its users choose at most", .min = 1, .max = 1024})
      .optional("fused_elementwise", &S::fused_elementwise,
                {.help = "bias, dropout, activation and rotary embedding are fused with their neighbours"})
      .optional("lean_activations", &S::lean_activations,
                {.help = "outputs of norms and activations are computed again instead of stored"});
}

void add_host_times(StackRecord& table) {
  using S = SoftwareStack;
  table
      .required("kernel_launch_us", &S::kernel_launch,
                {.help = "host time to issue one kernel that is in no captured graph", .min = 0})
      .optional("graph_capture", &S::graph_capture,
                {.help = "kernels launched from captured graphs: none, all but those between dispatch to experts and "
                         "return, or all"})
      .required("kernels_per_op", &S::kernels_per_op,
                {.help = "kernels that one op of the step graph stands for", .min = 1, .max = 100})
      .required("kernels_per_message", &S::kernels_per_message,
                {.help = "kernels that take the host as long as one pipeline message", .min = 1, .max = 1000});
}

void add_traffic(StackRecord& table) {
  using S = SoftwareStack;
  table
      .required("gradient_size_bytes", &S::gradient_size,
                {.help = "per parameter, of the buffer that gradients accumulate in", .min = 1, .max = 8})
      .required("reduced_size_bytes", &S::reduced_size,
                {.help = "per parameter, that the reduction of gradients sends", .min = 1, .max = 8})
      .required("gathered_size_bytes", &S::gathered_size,
                {.help = "per parameter, that gathers of sharded weights send", .min = 1, .max = 8})
      .optional("narrow_gather", &S::narrow_gather, {.help = "gathers send 8 bit where multiplies run in 8 bit"})
      .required(
          "elementwise_traffic", &S::elementwise_traffic,
          {.help = "memory traffic of element-wise kernels over that of kernels fused by hand", .min = 0.2, .max = 5})
      .required("bucket_mb", &S::bucket, {.help = "data-parallel bucket", .min = 0, .above_min = true});
}

StackRecord make_record() {
  using S = SoftwareStack;
  StackRecord table("stack", "What a training framework of a given date does");
  table.required("name", &S::name, {.help = "name of the stack"})
      .required("source", &S::source, {.help = "where this description comes from"})
      .optional("date", &S::date, {.help = "year and month of the software, as 2024-06"})
      .optional("calibrated", &S::calibrated,
                {.help = "entry of the step calibration that describes it; empty: its name"})
      .optional("rank_order", &S::rank_order, {.help = "which ranks are neighbours, innermost first"})
      .optional("attention", &S::attention, {.help = "attention kernel family, an entry of the parameter file"});
  add_overlaps(table);
  add_recomputation(table);
  add_host_times(table);
  add_traffic(table);
  table.optional("kernels", &S::kernels, {.help = "what its kernels between multiplies fuse and move"})
      .optional("experts", &S::experts, {.help = "what it does with mixtures of experts"})
      .optional("memory", &S::memory, {.help = "what it keeps in device memory beyond what a step needs"})
      .required("reserved_memory_gb", &S::reserved_memory,
                {.help = "context and libraries per accelerator, outside the allocator", .min = 0});
  return table;
}

}  // namespace

const Record<SoftwareStack>& record(const SoftwareStack*) {
  static const StackRecord table = make_record();
  return table;
}

}  // namespace clusterwright
