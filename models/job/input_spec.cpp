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
      Record<C>("checkpoint", "Weights and optimizer states, written every few steps")
          .required("every_steps", &C::every_steps,
                    {.help = "number of steps from one checkpoint to the next", .min = 1, .max = 1e9})
          .optional("mode", &C::mode,
                    {.help = "synchronous: training stops until the write ends; asynchronous: until the copy to host "
                             "memory ends"})
          .optional("to", &C::to, {.help = "file_system: file system of the cluster; local: drives of each node"});
  return table;
}

const Record<InputSpec>& record(const InputSpec*) {
  using I = InputSpec;
  static const auto table =
      Record<I>("input", "Data that hosts read and prepare for a step, and checkpoints that they write")
          .optional("bytes_per_token", &I::bytes_per_token,
                    {.help = "stored bytes per token: 2 or 4 where data is tokenised", .min = 0, .max = 1e9})
          .optional("bytes_per_sample", &I::bytes_per_sample,
                    {.help = "stored bytes of a sample, which fills a sequence or `sample_tokens` of it; replaces "
                             "bytes_per_token",
                     .min = 0,
                     .max = 1e12})
          .optional("from", &I::from, {.help = "file_system: file system of the cluster; local: drives of each node"})
          .optional("tokens_per_s_per_core", &I::tokens_per_core,
                    {.help = "tokens that one core prepares per second; if not given, data needs no preparation",
                     .min = 0,
                     .max = 1e12,
                     .above_min = true})
          .optional("cores_per_accelerator", &I::cores_per_accelerator,
                    {.help = "cores that prepare data; the node's cores over its accelerators if not given",
                     .min = 0,
                     .max = 1 << 16,
                     .above_min = true})
          .optional("workers", &I::workers,
                    {.help = "processes of one reader, one core each; auto: one for each core of the reader",
                     .min = 1,
                     .max = 1 << 16})
          .optional(
              "prefetch_depth", &I::prefetch,
              {.help = "micro-batches that a reader prepares or holds ahead of their use", .min = 1, .max = 1 << 20})
          .optional("storage", &I::storage, {.help = "storage rates for this job; they replace the cluster's"})
          .optional("checkpoint", &I::checkpoint, {.help = "weights and optimizer states, written every few steps"});
  return table;
}

}  // namespace clusterwright
