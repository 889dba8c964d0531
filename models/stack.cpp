#include "models/stack.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

template <>
struct EnumNames<RankOrder> {
  static constexpr std::array<std::string_view, 2> names = {"tensor-context-data-pipeline",
                                                            "tensor-context-pipeline-data"};
};

const Record<SoftwareStack>& record(const SoftwareStack*) {
  using S = SoftwareStack;
  static const auto table =
      Record<S>("stack", "What a training framework of a given date does")
          .required("name", &S::name, {.help = "name of the stack"})
          .required("source", &S::source, {.help = "where this description comes from"})
          .optional("rank_order", &S::rank_order, {.help = "which ranks are neighbours, innermost first"})
          .optional("attention", &S::attention, {.help = "attention kernel family, an entry of the parameter file"})
          .optional("overlap_weight_gradient", &S::overlap_weight_gradient,
                    {.help = "tensor-parallel collectives of the backward pass run behind weight-gradient multiplies"})
          .optional("overlap_gradient_reduce", &S::overlap_gradient_reduce,
                    {.help = "gradients are reduced while the backward pass goes on"})
          .optional("overlap_parameter_gather", &S::overlap_parameter_gather,
                    {.help = "sharded parameters are gathered while the next forward pass goes on"})
          .optional("overlap_pipeline_messages", &S::overlap_pipeline_messages,
                    {.help = "pipeline messages have a stream of their own"})
          .optional("fused_elementwise", &S::fused_elementwise,
                    {.help = "bias, dropout, activation and rotary embedding are fused with their neighbours"})
          .optional("lean_activations", &S::lean_activations,
                    {.help = "outputs of norms and activations are computed again instead of stored"})
          .required("kernel_launch_us", &S::kernel_launch,
                    {.help = "host time to issue one kernel; 0 with graph capture", .min = 0})
          .required("kernels_per_op", &S::kernels_per_op,
                    {.help = "kernels that one op of the step graph stands for", .min = 1, .max = 100})
          .required("gradient_size_bytes", &S::gradient_size,
                    {.help = "per parameter, of the buffer that is accumulated and reduced", .min = 1, .max = 8})
          .required("bucket_mb", &S::bucket, {.help = "data-parallel bucket", .min = 0, .above_min = true})
          .required("reserved_memory_gb", &S::reserved_memory,
                    {.help = "context, libraries and allocator slack per accelerator", .min = 0});
  return table;
}

}  // namespace clusterwright
