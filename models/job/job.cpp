// SPDX-License-Identifier: Apache-2.0
#include "models/job/job.hpp"

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

const Record<ParallelSpec>& record(const ParallelSpec*) {
  static const auto table =
      Record<ParallelSpec>("parallel", "Degrees of parallelism: accelerators = tensor x pipeline x context x data")
          .optional("tensor", &ParallelSpec::tensor,
                    {.help = "ranks that split every GEMM; auto: the accelerators of a node", .min = 1, .max = 1024})
          .optional("pipeline", &ParallelSpec::pipeline,
                    {.help = "pipeline stages that split the layers; auto: 1", .min = 1, .max = 1024})
          .optional("virtual_pipeline", &ParallelSpec::virtual_pipeline,
                    {.help = "model chunks per stage of an interleaved schedule; auto: the largest number that divides "
                             "the layers evenly",
                     .min = 1,
                     .max = 1024})
          .optional("context", &ParallelSpec::context, {.help = "ranks that split one sequence", .min = 1, .max = 1024})
          .optional("context_exchange", &ParallelSpec::context_exchange,
                    {.help = "how context ranks exchange keys and values: a ring, an all-gather, or an all-to-all over "
                             "heads (Ulysses); auto: the stack's"})
          .optional(
              "expert", &ParallelSpec::expert,
              {.help =
                   "ranks that divide the experts among them, taken from tensor x context x data; auto: the "
                   "largest number that divides evenly, inside a scale-up domain unless weights are sharded, or the "
                   "smallest beyond it that fits in memory",
               .min = 1,
               .max = 1024})
          .optional("expert_tensor", &ParallelSpec::expert_tensor,
                    {.help = "ranks that split each expert; auto: tensor, or 1 if that leaves no ranks for expert",
                     .min = 1,
                     .max = 1024})
          .optional("data", &ParallelSpec::data,
                    {.help = "number of replicas; auto: the rest of the cluster", .min = 1, .max = 1048576})
          .optional("sequence", &ParallelSpec::sequence,
                    {.help = "sequence parallelism: norms and residuals are split over the tensor group"})
          .optional(
              "schedule", &ParallelSpec::schedule,
              {.help =
                   "order of work on a pipeline stage: 1f1b (interleaved if virtual_pipeline > 1), zero_bubble (ZB-H1: "
                   "weight gradients fill the bubble) or dualpipe (from both ends over two copies of the weights)"})
          .optional("stage_layers", &ParallelSpec::stage_layers,
                    {.help = "layers of each chunk in model order, pipeline x virtual_pipeline entries; empty: as even "
                             "as possible",
                     .min = 0,
                     .max = 65536})
          .optional(
              "stage_power_limits_w", &ParallelSpec::stage_power_limits,
              {.help = "power limit of each accelerator of a pipeline stage, one for each stage; the lower one of it "
                       "and that of its node counts; empty: none",
               .min = 0,
               .max = 100000,
               .above_min = true})
          .optional("order", &ParallelSpec::order,
                    {.help = "order of the dimensions of parallelism over ranks, innermost first; auto: the one that "
                             "across_sites needs, else the stack's; where other fields are open and the stack lets its "
                             "users choose, the faster one"})
          .optional("across_sites", &ParallelSpec::across_sites,
                    {.help = "parallelism that crosses the lines between the sites of a fabric: data (each site holds "
                             "whole replicas) or pipeline (each site holds whole stages); none: the job must stay on "
                             "one site; auto: what the order of ranks leads to"});
  return table;
}

const Record<ExpertRouting>& record(const ExpertRouting*) {
  static const auto table =
      Record<ExpertRouting>("routing", "How evenly tokens spread over the experts of a mixture")
          .optional("imbalance", &ExpertRouting::imbalance,
                    {.help = "coefficient of variation of the experts' popularity within a micro-batch; 0: forced "
                             "balance; null: an estimate of what balancing losses leave",
                     .min = 0,
                     .max = 8})
          .optional("capacity_factor", &ExpertRouting::capacity_factor,
                    {.help = "rows that an expert accepts, over the mean; excess rows are dropped, missing rows are "
                             "padded; null: neither happens",
                     .min = 0,
                     .max = 16,
                     .above_min = true});
  return table;
}

const Record<Offload>& record(const Offload*) {
  static const auto table =
      Record<Offload>("offload", "Where state is kept; true means host, false means device")
          .optional("weights", &Offload::weights, {.help = "16-bit weights, fetched layer by layer", .flag = true})
          .optional(
              "optimizer", &Offload::optimizer,
              {.help = "optimizer states; the host updates the weights, but from a pool the accelerator updates them",
               .flag = true})
          .optional(
              "activations", &Offload::activations,
              {.help = "stored activations, from the forward pass of their layer to its backward pass", .flag = true});
  return table;
}

const Record<Job>& record(const Job*) {
  static const auto table =
      Record<Job>("job", "The work and its parallel layout")
          .optional("task", &Job::task, {.help = "kind of work"})
          .required("sequence", &Job::sequence, {.help = "tokens in one sequence", .min = 1, .max = 16777216})
          .required("global_batch", &Job::global_batch,
                    {.help = "sequences per optimizer step, whole job", .min = 1, .max = 16777216})
          .optional("max_global_batch_tokens", &Job::max_global_batch_tokens,
                    {.help = "most tokens of a step with which the training still converges as wanted (critical "
                             "batch): a larger batch is refused, weak scaling stops growing there; auto: not known",
                     .min = 1,
                     .max = 1e15})
          .optional("micro_batch", &Job::micro_batch,
                    {.help = "sequences that one replica computes at a time; auto: 1", .min = 1, .max = 65536})
          .optional("precision", &Job::precision, {.help = "number format of GEMM operands"})
          .optional("parallel", &Job::parallel, {.help = "degrees of parallelism"})
          .optional("accelerators_per_domain", &Job::accelerators_per_domain,
                    {.help = "accelerators that the job uses of each scale-up domain (rack or node), such as 64 of the "
                             "72 of an NVL72; the others are idle; auto: all, else the largest number that divides the "
                             "accelerators of the cluster and that tensor and expert groups fill evenly",
                     .min = 1,
                     .max = 65536})
          .optional(
              "placement", &Job::placement,
              {.help = "nodes of a machine that the job runs on; if not given, its ranks fill nodes of their own in "
                       "order"})
          .optional("routing", &Job::routing, {.help = "distribution of tokens over experts"})
          .optional(
              "sharding", &Job::sharding,
              {.help = "state that data-parallel ranks shard: zero1 the optimizer state, zero2 also gradients, "
                       "zero3 or fsdp also weights; hsdp: fsdp inside groups of shard_group ranks; auto: the "
                       "optimizer state; where that fits only with tensor groups beyond a scale-up domain, weights "
                       "too, if that is faster"})
          .optional("shard_group", &Job::shard_group,
                    {.help = "ranks that together hold one copy of the weights under hsdp; auto: the ranks of a node",
                     .min = 1,
                     .max = 1048576})
          .optional("site_reduction", &Job::site_reduction,
                    {.help = "reduction of gradients between replicas on several sites: flat (one ring through all "
                             "ranks) or hierarchical (inside each site, then between the ranks of other sites with "
                             "the same part; zero1 and zero2 then shard within a site); auto: the stack's, flat where "
                             "the layout rules hierarchical out"})
          .optional("local_steps", &Job::local_steps,
                    {.help = "steps that groups of replicas train apart, the last of which exchanges their outer "
                             "gradients and updates the weights of all (DiLoCo); times are means over so many steps; "
                             "1: replicas reduce gradients in every step. Convergence is not modelled",
                     .min = 1,
                     .max = 1000000})
          .optional("local_groups", &Job::local_groups,
                    {.help = "groups of replicas that train apart under local_steps; auto: one for each site, if sites "
                             "hold whole replicas, else one for each replica",
                     .min = 2,
                     .max = 1048576})
          .optional("offload", &Job::offload, {.help = "state kept outside accelerator memory"})
          .optional("input", &Job::input,
                    {.help = "data that hosts read and prepare; if not given, data is always ready"})
          .optional("lora_rank", &Job::lora_rank, {.help = "rank of the adapters of task lora", .min = 0, .max = 65536})
          .optional("sample_tokens", &Job::sample_tokens,
                    {.help = "mean length of the samples packed into one sequence, each of which attends only to "
                             "itself; 0: one sample fills the sequence",
                     .min = 0,
                     .max = 16777216})
          .optional("recompute", &Job::recompute,
                    {.help = "activations that the backward pass computes again; auto: the least that fits"})
          .optional("recomputed_layers", &Job::recomputed_layers,
                    {.help = "first layers of each pipeline stage that recompute full repeats; auto: all",
                     .min = 1,
                     .max = 65536})
          .optional("attention", &Job::attention,
                    {.help = "attention kernels: an entry of the parameter file, such as flash-2 or cudnn; auto: "
                             "those of the stack"})
          .optional("master_weights", &Job::master_weights,
                    {.help = "whether the optimizer keeps 32-bit master weights and moments beside the weights; false: "
                             "weights, gradients and moments all have 16 bits (pure bf16 training). Convergence is not "
                             "modelled"})
          .optional(
              "stack", &Job::stack,
              {.help = "software stack: a name in configs/stacks or the path of a JSON file", .catalog = "stacks"})
          .optional("release", &Job::release, {.help = "date of the software, such as 2024-06; empty: the stack's own"})
          .optional("tokens", &Job::tokens,
                    {.help = "tokens of the whole training run, such as 15600000000000: results then also give its "
                             "days, accelerator-hours, energy and, where prices are known, dollars; auto: only a step "
                             "is predicted",
                     .min = 1,
                     .max = 1e18})
          .optional("steps", &Job::steps,
                    {.help = "steps of the whole training run; replaces tokens", .min = 1, .max = 1e12});
  return table;
}

}  // namespace clusterwright
