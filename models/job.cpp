#include "models/job.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

template <>
struct EnumNames<Task> {
  static constexpr std::array<std::string_view, 1> names = {"pretrain"};
};
template <>
struct EnumNames<Sharding> {
  static constexpr std::array<std::string_view, 3> names = {"none", "zero1", "zero2"};
};
template <>
struct EnumNames<Recompute> {
  static constexpr std::array<std::string_view, 3> names = {"none", "selective", "full"};
};
template <>
struct EnumNames<Precision> {
  static constexpr std::array<std::string_view, 3> names = {"bf16", "fp16", "fp8"};
};

const Record<ParallelSpec>& record(const ParallelSpec*) {
  static const auto table =
      Record<ParallelSpec>("parallel", "Degrees of parallelism: accelerators = tensor x pipeline x context x data")
          .optional("tensor", &ParallelSpec::tensor,
                    {.help = "ranks that split every matrix multiply; auto: the accelerators of a node",
                     .min = 1,
                     .max = 1024})
          .optional("pipeline", &ParallelSpec::pipeline,
                    {.help = "stages that split the layers; auto: 1", .min = 1, .max = 1024})
          .optional("virtual_pipeline", &ParallelSpec::virtual_pipeline,
                    {.help = "model chunks per stage of an interleaved schedule; auto: the largest that divides",
                     .min = 1,
                     .max = 1024})
          .optional("context", &ParallelSpec::context, {.help = "ranks that split a sequence", .min = 1, .max = 1024})
          .optional("expert", &ParallelSpec::expert, {.help = "ranks that split the experts", .min = 1, .max = 1024})
          .optional("data", &ParallelSpec::data,
                    {.help = "replicas; auto: what is left of the cluster", .min = 1, .max = 1048576})
          .optional("sequence", &ParallelSpec::sequence,
                    {.help = "sequence parallelism: norms and residuals are split over the tensor group"});
  return table;
}

const Record<Job>& record(const Job*) {
  static const auto table =
      Record<Job>("job", "What is computed, and how it is laid out over the machine")
          .optional("task", &Job::task, {.help = "kind of work"})
          .required("sequence", &Job::sequence, {.help = "tokens of one sequence", .min = 1, .max = 16777216})
          .required("global_batch", &Job::global_batch,
                    {.help = "sequences per optimizer step over the whole job", .min = 1, .max = 16777216})
          .optional("micro_batch", &Job::micro_batch,
                    {.help = "sequences that one replica computes at a time; auto: 1", .min = 1, .max = 65536})
          .optional("precision", &Job::precision, {.help = "number format of the matrix multiplies"})
          .optional("parallel", &Job::parallel, {.help = "degrees of parallelism"})
          .optional("sharding", &Job::sharding,
                    {.help = "what data-parallel ranks share out: zero1 the optimizer state, zero2 also gradients"})
          .optional("recompute", &Job::recompute,
                    {.help = "activations computed again in the backward pass; auto: the least that fits"})
          .optional(
              "stack", &Job::stack,
              {.help = "software stack: a name in configs/stacks or the path of a JSON file", .catalog = "stacks"});
  return table;
}

}  // namespace clusterwright
