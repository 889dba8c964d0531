// SPDX-License-Identifier: Apache-2.0
#include "models/job/input_spec.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

template <>
struct EnumNames<Store> {
  static constexpr std::array<std::string_view, 2> names = {"file_system", "local"};
};
template <>
struct EnumNames<CheckpointMode> {
  static constexpr std::array<std::string_view, 2> names = {"synchronous", "asynchronous"};
};

const Record<CheckpointSpec>& record(const CheckpointSpec*) {
  using C = CheckpointSpec;
  static const auto table =
      Record<C>("checkpoint", "Weights and optimizer states that are written once in a while")
          .required("every_steps", &C::every_steps, {.help = "steps from one to the next", .min = 1, .max = 1e9})
          .optional("mode", &C::mode,
                    {.help = "synchronous: training stops for the write; asynchronous: for the copy to host memory"})
          .optional("to", &C::to, {.help = "file_system: that of the cluster; local: the drives of each node"});
  return table;
}

const Record<InputSpec>& record(const InputSpec*) {
  using I = InputSpec;
  static const auto table =
      Record<I>("input", "What hosts read and prepare for a step, and what they write now and then")
          .optional("bytes_per_token", &I::bytes_per_token,
                    {.help = "in the store: 2 or 4 where data is tokenised", .min = 0, .max = 1e9})
          .optional("bytes_per_sample", &I::bytes_per_sample,
                    {.help = "in the store, of a sample that fills a sequence or `sample_tokens` of it; instead of "
                             "bytes_per_token",
                     .min = 0,
                     .max = 1e12})
          .optional("from", &I::from, {.help = "file_system: that of the cluster; local: the drives of each node"})
          .optional("tokens_per_s_per_core", &I::tokens_per_core,
                    {.help = "that one core prepares; without it data needs no preparation",
                     .min = 0,
                     .max = 1e12,
                     .above_min = true})
          .optional("cores_per_accelerator", &I::cores_per_accelerator,
                    {.help = "that prepare data; the node's cores over its accelerators if not given",
                     .min = 0,
                     .max = 1 << 16,
                     .above_min = true})
          .optional("workers", &I::workers,
                    {.help = "processes of one reader, one core each; auto: one for each of its cores",
                     .min = 1,
                     .max = 1 << 16})
          .optional("prefetch_depth", &I::prefetch,
                    {.help = "micro-batches that a reader holds ready or prepares ahead of their use",
                     .min = 1,
                     .max = 1 << 20})
          .optional("storage", &I::storage, {.help = "rates for this job, in place of the cluster's"})
          .optional("checkpoint", &I::checkpoint, {.help = "weights and states that are written once in a while"});
  return table;
}

}  // namespace clusterwright
