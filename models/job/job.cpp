// SPDX-License-Identifier: Apache-2.0
#include "models/job/job.hpp"

#include "models/job/job_enum_names.hpp"

namespace clusterwright {

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
          .optional("context_exchange", &ParallelSpec::context_exchange,
                    {.help = "how context ranks meet: ring of keys and values, all-gather of them, or all-to-all over "
                             "heads (Ulysses); auto: the stack's"})
          .optional("expert", &ParallelSpec::expert,
                    {.help = "ranks that share the experts out, taken from tensor x context x data; auto: the largest "
                             "number that divides, inside a scale-up domain unless weights are sharded",
                     .min = 1,
                     .max = 1024})
          .optional("expert_tensor", &ParallelSpec::expert_tensor,
                    {.help = "ranks that split each expert; auto: tensor, or 1 where that leaves no ranks for expert",
                     .min = 1,
                     .max = 1024})
          .optional("data", &ParallelSpec::data,
                    {.help = "replicas; auto: what is left of the cluster", .min = 1, .max = 1048576})
          .optional("sequence", &ParallelSpec::sequence,
                    {.help = "sequence parallelism: norms and residuals are split over the tensor group"})
          .optional(
              "schedule", &ParallelSpec::schedule,
              {.help = "order of work on a pipeline stage: 1f1b (interleaved where virtual_pipeline > 1), "
                       "zero_bubble (ZB-H1: weight gradients fill the bubble) or dualpipe (from both ends over two "
                       "copies of the weights)"})
          .optional("stage_layers", &ParallelSpec::stage_layers,
                    {.help = "layers of each chunk in model order, stages x virtual_pipeline of them; empty: as evenly "
                             "as they go",
                     .min = 0,
                     .max = 65536});
  return table;
}

const Record<ExpertRouting>& record(const ExpertRouting*) {
  static const auto table =
      Record<ExpertRouting>("routing", "How evenly tokens spread over the experts of a mixture")
          .optional("imbalance", &ExpertRouting::imbalance,
                    {.help = "coefficient of variation of the experts' popularity within a micro-batch, 0: forced "
                             "balance; null: an estimate of what balancing losses leave",
                     .min = 0,
                     .max = 8})
          .optional("capacity_factor", &ExpertRouting::capacity_factor,
                    {.help = "rows that an expert takes over the mean: more are dropped, fewer padded; null: none is",
                     .min = 0,
                     .max = 16,
                     .above_min = true});
  return table;
}

const Record<Offload>& record(const Offload*) {
  static const auto table =
      Record<Offload>("offload", "What is kept beyond the accelerator; true is host, false is device")
          .optional("weights", &Offload::weights, {.help = "16-bit weights, fetched layer by layer", .flag = true})
          .optional("optimizer", &Offload::optimizer,
                    {.help = "optimizer states; the host updates the weights, but from a pool the accelerator does",
                     .flag = true})
          .optional("activations", &Offload::activations,
                    {.help = "stored activations, from the forward to the backward pass of their layer", .flag = true});
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
          .optional("routing", &Job::routing, {.help = "how tokens spread over experts"})
          .optional("sharding", &Job::sharding,
                    {.help = "what data-parallel ranks share out: zero1 the optimizer state, zero2 also gradients, "
                             "zero3 or fsdp also weights; hsdp: fsdp inside groups of shard_group ranks"})
          .optional("shard_group", &Job::shard_group,
                    {.help = "ranks that share one copy of the weights under hsdp; auto: the ranks of a node",
                     .min = 1,
                     .max = 1048576})
          .optional("offload", &Job::offload, {.help = "what is kept beyond the accelerator"})
          .optional("input", &Job::input, {.help = "what hosts read and prepare; without it data is always there"})
          .optional("lora_rank", &Job::lora_rank, {.help = "rank of the adapters of task lora", .min = 0, .max = 65536})
          .optional("sample_tokens", &Job::sample_tokens,
                    {.help = "mean length of the samples packed into one sequence, which attend only to themselves; "
                             "0: one sample fills the sequence",
                     .min = 0})
          .optional("recompute", &Job::recompute,
                    {.help = "activations computed again in the backward pass; auto: the least that fits"})
          .optional(
              "stack", &Job::stack,
              {.help = "software stack: a name in configs/stacks or the path of a JSON file", .catalog = "stacks"})
          .optional("release", &Job::release,
                    {.help = "year and month of the software, as 2024-06; empty: the stack's own"});
  return table;
}

}  // namespace clusterwright
