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
                {.help = "gradients are reduced after every micro-batch, not only after the last"})
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

StackRecord make_record() {
  using S = SoftwareStack;
  StackRecord table("stack", "What a training framework of a given date does");
  table.required("name", &S::name, {.help = "name of the stack"})
      .required("source", &S::source, {.help = "origin of this description"})
      .optional("date", &S::date, {.help = "year and month of the software, such as 2024-06"})
      .optional("calibrated", &S::calibrated,
                {.help = "entry of the step calibration that describes this stack; empty: the stack's name"})
      .optional("rank_order", &S::rank_order,
                {.help = "order of the dimensions of parallelism over ranks, innermost first"})
      .optional("attention", &S::attention, {.help = "attention kernel family, an entry of the parameter file"});
  add_overlaps(table);
  add_recomputation(table);
  add_host_times(table);
  add_traffic(table);
  table.optional("kernels", &S::kernels, {.help = "fusions and memory traffic of the kernels between GEMMs"})
      .optional("experts", &S::experts, {.help = "handling of mixtures of experts"})
      .optional("memory", &S::memory, {.help = "device memory that the framework keeps beyond what a step needs"})
      .required("reserved_memory_gb", &S::reserved_memory,
                {.help = "memory of context and libraries per accelerator, outside the allocator", .min = 0});
  return table;
}

}  // namespace

const Record<SoftwareStack>& record(const SoftwareStack*) {
  static const StackRecord table = make_record();
  return table;
}

}  // namespace clusterwright
