// SPDX-License-Identifier: Apache-2.0
#include "models/plan/resolve_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/job/model_rules.hpp"
#include "models/job/scenario_source.hpp"
#include "models/kernels/collectives/expert_draw.hpp"
#include "models/plan/mixed_nodes.hpp"
#include "models/plan/plan.hpp"
#include "models/plan/plan_pipeline.hpp"
#include "models/plan/site_crossing.hpp"
#include "models/plan/store_check.hpp"

namespace clusterwright {

namespace {

/// Ops that one layer costs for one micro-batch, roughly, and ops that fit into a few gigabytes.
constexpr double ops_per_layer = 50;
constexpr double most_ops = 30e6;

constexpr const char* tensor_path = "/job/parallel/tensor";

const char* domain_word(const Cluster& cluster) {
  return cluster.domain > cluster.node_accelerators ? "scale-up domain" : "node";
}

/// Advice: the largest block that the groups would fill.
std::string block_help(const Cluster& cluster, const std::vector<int>& groups) {
  const int block = largest_block({cluster.domain, cluster.node_accelerators}, groups);
  const int domains = (cluster.spec.accelerators + cluster.domain - 1) / cluster.domain;
  if (cluster.spec.accelerators % block == 0) return fmt::format("use \"accelerators_per_domain\": {}", block);
  return fmt::format("use {} accelerators, {} of each {}", domains * block, block, domain_word(cluster));
}

void check_division(Contradictions& errors, const Plan& plan, const Transformer& model, const Cluster& cluster) {
  const auto must_divide = [&](std::int64_t whole, const char* what, const char* pointer) {
    if (whole % plan.tensor == 0) return;
    errors.report("E0310", fmt::format("tensor must divide the {} (got {}, {} {})", what, plan.tensor, what, whole),
                  {tensor_path, pointer});
  };
  must_divide(model.heads, "attention heads", "/transformer/heads");
  if (model.layers_of(LayerKind::dense) > 0) must_divide(model.ffn, "MLP width", "/transformer/ffn");
  if (model.key_value_heads() % plan.tensor != 0 && plan.tensor % model.key_value_heads() != 0)
    errors.report("E0310",
                  fmt::format("tensor must divide the key-value heads or be a multiple of them (got {}, kv_heads {})",
                              plan.tensor, model.key_value_heads()),
                  {tensor_path, "/transformer/kv_heads"});
  if (!fit_block({plan.tensor}, cluster.blocks.used))
    errors.report("E0310",
                  fmt::format("tensor groups must fill the accelerators that the job uses of each {} evenly (got {}, "
                              "it uses {})",
                              domain_word(cluster), plan.tensor, cluster.blocks.used),
                  {tensor_path, "/cluster/node/accelerators"}, block_help(cluster, {plan.tensor}));
  if (plan.pipeline > model.layers)
    errors.report("E0310", fmt::format("more pipeline stages than layers ({} > {})", plan.pipeline, model.layers),
                  {"/job/parallel/pipeline", "/transformer/layers"});
}

/// What no layout changes: the task, the transformer and the kinds of nodes.
void check_work(Contradictions& errors, const Scenario& s) {
  const Job& job = s.job;
  const Transformer& model = s.transformer;
  if (job.lora_rank > 0 && model.latent)
    errors.report("E0313", "adapters on latent attention are not modelled yet",
                  {"/job/lora_rank", "/transformer/latent"}, "use \"task\": \"sft\"");
  if (model.parallel_block && model.experts)
    errors.report("E0313", "experts in a parallel block (beside attention) are not modelled yet",
                  {"/transformer/parallel_block", "/transformer/experts"}, "use \"parallel_block\": false");
  if ((job.task == Task::lora) != (job.lora_rank > 0))
    errors.report("E0310",
                  job.lora_rank > 0 ? "lora_rank is given, but the task is not lora" : "task lora needs lora_rank",
                  {"/job/lora_rank", "/job/task"});
  for (const RuleFinding& found : job_findings({s.job, s.transformer, s.cluster}))
    if (found.is_error())
      errors.report(std::string(found.rule->code), found.message, found.pointers, std::string(found.rule->then));
  for (const Contradiction& found : check_mixed_nodes(s))
    errors.report(found.code, found.message, found.pointers, found.help);
}

/// Ways to split a sequence, and fields that apply under some layouts only.
void check_job(Contradictions& errors, const Job& job, const Plan& plan, const Transformer& model) {
  if (job.sequence % plan.context != 0)
    errors.report("E0310",
                  fmt::format("context must divide the sequence (got {}, sequence {})", plan.context, job.sequence),
                  {"/job/parallel/context", "/job/sequence"});
  const bool heads = plan.context > 1 && plan.context_exchange == ContextExchange::all_to_all;
  if (heads && model.heads % (static_cast<std::int64_t>(plan.tensor) * plan.context) != 0)
    errors.report(
        "E0310",
        fmt::format(
            "if context ranks exchange heads, tensor x context must divide the attention heads (got {} x {}, heads {})",
            plan.tensor, plan.context, model.heads),
        {"/job/parallel/context", "/transformer/heads"}, "use \"context_exchange\": \"ring\"");
  if (job.input && job.parallel.schedule == PipelineSchedule::dualpipe)
    errors.report("E0313", "reading of data under dualpipe (both end stages read) is not modelled yet",
                  {"/job/input", "/job/parallel/schedule"}, "use \"schedule\": \"1f1b\"");
  if (job.recomputed_layers && job.recompute != Recompute::full)
    errors.report("E0310", "recomputed_layers applies only to recompute full",
                  {"/job/recomputed_layers", "/job/recompute"});
  if (job.shard_group && plan.sharding != Sharding::hsdp)
    errors.report("E0310", "shard_group applies only to sharding hsdp", {"/job/shard_group", "/job/sharding"});
  if (job.offload.weights != MemoryLevel::device && (!shards_weights(plan.sharding) || plan.pipeline > 1))
    errors.report("E0313", "offloaded weights are modelled only if layers are gathered one by one",
                  {"/job/offload/weights", "/job/sharding"}, "use \"sharding\": \"fsdp\" without pipeline stages");
}

/// Ranks of a node that hold the same weights, or the most that divide all of them.
int shard_group_of_node(const Scenario& s, const Plan& plan) {
  const int all = plan.gradient_ranks();
  const bool stages_inside = plan.rank_order == RankOrder::tensor_context_pipeline_data;
  int group = std::clamp(s.cluster.node_ranks() / (plan.tensor * (stages_inside ? plan.pipeline : 1)), 1, all);
  while (all % group != 0) --group;
  return group;
}

int decide_shard_group(Contradictions& errors, const Scenario& s, const Plan& plan) {
  const Job& job = s.job;
  const int all = plan.gradient_ranks();
  if (plan.sharding != Sharding::hsdp) return all;
  const int group = job.shard_group ? *job.shard_group : shard_group_of_node(s, plan);
  if (all % group != 0)
    errors.report("E0310",
                  fmt::format("shard_group must divide the {} ranks that hold the same weights (got {})", all, group),
                  {"/job/shard_group", "/job/parallel/data"});
  return group;
}

/// Experts over ranks, with the replicas known.
void check_experts(Contradictions& errors, const Plan& plan, const Scenario& s) {
  const ExpertMixture& experts = *s.transformer.experts;
  const char* expert = "/job/parallel/expert";
  const char* expert_tensor = "/job/parallel/expert_tensor";
  if (experts.experts % plan.expert != 0)
    errors.report("E0310",
                  fmt::format("expert must divide the experts (got {}, experts {})", plan.expert, experts.experts),
                  {expert, "/transformer/experts/experts"});
  if (plan.stage_ranks() % (plan.expert * plan.expert_tensor) != 0)
    errors.report(
        "E0310",
        fmt::format("expert {} x expert_tensor {} must divide the {} ranks of a pipeline stage (tensor {} x "
                    "context {} x data {})",
                    plan.expert, plan.expert_tensor, plan.stage_ranks(), plan.tensor, plan.context, plan.data),
        {expert, expert_tensor, "/job/parallel/data"});
  const int block = plan.expert * plan.expert_tensor, used = s.cluster.blocks.used;
  const bool beside_tensor = fit_block({block}, plan.tensor);
  if (!beside_tensor || !fit_block({block}, used))
    errors.report("E0310",
                  fmt::format("expert {} x expert_tensor {} must be a multiple or a divisor of tensor ({}), and of the "
                              "accelerators that the job uses of each {} ({})",
                              plan.expert, plan.expert_tensor, plan.tensor, domain_word(s.cluster), used),
                  {expert, expert_tensor}, beside_tensor ? block_help(s.cluster, {plan.tensor, block}) : std::string());
  if (experts.ffn % plan.expert_tensor != 0)
    errors.report("E0310",
                  fmt::format("expert_tensor must divide the width of an expert (got {}, ffn {})", plan.expert_tensor,
                              experts.ffn),
                  {expert_tensor, "/transformer/experts/ffn"});
  const double widest = widest_popularity(experts.experts);
  if (s.job.routing.imbalance.value_or(0) > widest)
    errors.report(
        "E0310",
        fmt::format("the popularity of {} experts cannot vary by {:.3g} of the mean: one that gets nearly all "
                    "tokens makes {:.3g}",
                    experts.experts, *s.job.routing.imbalance, widest),
        {"/job/routing/imbalance", "/transformer/experts/experts"});
  if (plan.tensor > 1 && !plan.sequence_parallel && plan.expert_tensor != plan.tensor)
    errors.report("E0310", "without sequence parallelism expert_tensor must equal tensor",
                  {expert_tensor, "/job/parallel/sequence"}, "use \"sequence\": true");
}

/// Replicas from the accelerators that are there, or the contradiction.
int decide_data(Contradictions& errors, const Plan& plan, const ParallelSpec& parallel, int accelerators) {
  const int replica = plan.tensor * plan.pipeline * plan.context;
  const int data = parallel.data.value_or(std::max(1, accelerators / replica));
  if (replica * data != accelerators)
    errors.report(
        "E0311",
        fmt::format("tensor {} x pipeline {} x context {}{} does not match {} accelerators", plan.tensor, plan.pipeline,
                    plan.context,
                    parallel.data ? fmt::format(" x data {} = {}", data, replica * data)
                                  : fmt::format(" = {} accelerators per replica", replica),
                    accelerators),
        {parallel.data ? "/job/parallel/data" : "/job/parallel/pipeline", "/cluster/accelerators"},
        fmt::format("use a multiple of {} accelerators{}", replica, parallel.data ? ", or \"data\": \"auto\"" : ""));
  return data;
}

/// Largest number of ranks up to `most` that divides the experts and the ranks of a stage, and fills domains evenly.
int largest_expert_group(const ExpertMixture& experts, int stage_ranks, int domain, int most) {
  int best = 1;
  for (int ranks = 2; ranks <= std::min(most, stage_ranks); ++ranks)
    if (experts.experts % ranks == 0 && stage_ranks % ranks == 0 && (domain % ranks == 0 || ranks % domain == 0))
      best = ranks;
  return best;
}

/// Decides the ranks that split each expert and those that the experts are divided among.
void decide_experts(Contradictions& errors, ResolvedPlan& out, const Scenario& s) {
  const ParallelSpec& parallel = s.job.parallel;
  Plan& plan = out.plan;
  if (!s.transformer.experts) {
    plan.expert = plan.expert_tensor = 1;
    if (parallel.expert.value_or(1) > 1 || parallel.expert_tensor.value_or(1) > 1)
      errors.report("E0310", "the transformer has no experts to distribute",
                    {parallel.expert.value_or(1) > 1 ? "/job/parallel/expert" : "/job/parallel/expert_tensor"});
    return;
  }
  const ExpertMixture& experts = *s.transformer.experts;
  const int ranks = plan.stage_ranks();
  // Gathers of weights, layer by layer, move more bytes than tokens do.
  const int most = shards_weights(plan.sharding) ? ranks : s.cluster.blocks.used;
  plan.expert = parallel.expert.value_or(largest_expert_group(experts, ranks, s.cluster.blocks.used, most));
  const bool whole = ranks % (plan.expert * plan.tensor) == 0 && experts.ffn % plan.tensor == 0;
  plan.expert_tensor = parallel.expert_tensor.value_or(whole ? plan.tensor : 1);
  if (!parallel.expert)
    out.assumptions.push_back(
        {"expert group", std::to_string(plan.expert), "default",
         "auto: the largest number that divides the experts, inside a scale-up domain unless weights are sharded"});
  check_experts(errors, plan, s);
}

/// Settings with the nearest legal batches. A micro-batch of one sequence cannot become smaller, and a larger one
/// divides no batch that it does not divide.
std::string way_to_batch(const Plan& plan, std::int64_t stride) {
  const std::int64_t below = plan.global_batch / stride * stride;
  std::string text = "set what suits the machine: ";
  if (below > 0) text += fmt::format("--set job.global_batch={} or ", below);
  text += fmt::format("--set job.global_batch={}", below + stride);
  return plan.micro_batch > 1 ? text + ", or a smaller job.micro_batch" : text;
}

void decide_batches(Contradictions& errors, Plan& plan, const Job& job) {
  plan.micro_batch = job.micro_batch.value_or(1);
  plan.global_batch = job.global_batch;
  const std::int64_t stride = static_cast<std::int64_t>(plan.micro_batch) * plan.data;
  if (plan.global_batch % stride != 0) {
    errors.report("E0312",
                  fmt::format("micro_batch {} x data {} = {} must divide the global batch {}", plan.micro_batch,
                              plan.data, stride, plan.global_batch),
                  {"/job/global_batch", "/job/micro_batch"}, way_to_batch(plan, stride));
    return;
  }
  plan.micro_batches = static_cast<int>(plan.global_batch / stride);
}

double rough_ops(int micro_batches, std::int64_t layers) {
  return ops_per_layer * static_cast<double>(layers) * micro_batches;
}

void check_size(Contradictions& errors, const Plan& plan, std::int64_t layers) {
  const double ops = rough_ops(plan.micro_batches, layers);
  if (is_short_enough(plan.micro_batches, layers)) return;
  errors.report(
      "E0502",
      fmt::format("{} micro-batches through {} layers are too many to simulate (about {:.0f} million ops; the "
                  "limit is {:.0f})",
                  plan.micro_batches, layers, ops / 1e6, most_ops / 1e6),
      {"/job/global_batch"}, "use a smaller batch per replica, or a larger micro-batch");
}

Plan degrees_of(const Scenario& s) {
  const Job& job = s.job;
  Plan plan;
  plan.tensor = job.parallel.tensor.value_or(usual_tensor(s));
  plan.pipeline = job.parallel.pipeline.value_or(1);
  plan.context = job.parallel.context.value_or(1);
  plan.context_exchange = job.parallel.context_exchange.value_or(s.stack.context_exchange);
  plan.sequence_parallel = job.parallel.sequence && plan.tensor > 1;
  plan.sharding = job.sharding.value_or(usual_sharding(s.stack.layouts));
  plan.recompute = job.recompute.value_or(Recompute::none);
  plan.recomputed_layers = job.recomputed_layers;
  plan.rank_order = usual_order(s);
  return plan;
}

void note_routing(const Scenario& s, ResolvedPlan& out) {
  if (!s.transformer.experts || s.job.routing.imbalance || s.job.routing.capacity_factor) return;
  const Sourced<double>& usual = s.stack.experts.imbalance;
  out.assumptions.push_back(
      {"uneven popularity of experts", fmt::format("{:.2f} of the mean", usual.value), "estimate", usual.source});
}

void note_assumptions(const Job& job, ResolvedPlan& out) {
  if (!job.parallel.tensor)
    out.assumptions.push_back(
        {"tensor group", std::to_string(out.plan.tensor), "default", "auto: the accelerators of a node"});
  if (out.plan.sharding == Sharding::hsdp && !job.shard_group)
    out.assumptions.push_back(
        {"shard group", std::to_string(out.plan.shard_group), "default", "auto: the ranks of a node"});
  if (shards_weights(out.plan.sharding) && out.plan.pipeline > 1)
    out.assumptions.push_back({"weights under pipeline stages", "gathered once a step and kept beside the shards",
                               "default", "every micro-batch needs them again"});
}

}  // namespace

bool is_short_enough(int micro_batches, std::int64_t layers) {
  return rough_ops(micro_batches, layers) <= most_ops;
}

int usual_tensor(const Scenario& s) {
  const Transformer& model = s.transformer;
  const std::int64_t width = model.layers_of(LayerKind::dense) > 0 ? model.ffn : 0, kv = model.key_value_heads();
  const int most = s.cluster.node_ranks();
  const auto divides = [&](int tensor) {
    return s.cluster.blocks.used % tensor == 0 && most % tensor == 0 && model.heads % tensor == 0 &&
           width % tensor == 0 && (kv % tensor == 0 || tensor % kv == 0);
  };
  int tensor = most;
  while (!divides(tensor)) --tensor;
  return tensor;
}

void check_any_layout(const Scenario& s) {
  refuse_several_kinds(s, "a search for a layout");
  Contradictions errors(s.source);
  check_transformer(s.transformer, s.source);
  check_work(errors, s);
  errors.finish();
}

void check_stated(const Scenario& s) {
  check_any_layout(s);
  Contradictions errors(s.source);
  check_job(errors, s.job, degrees_of(s), s.transformer);
  errors.finish();
}

ResolvedPlan resolve_plan(const Scenario& s) {
  Contradictions errors(s.source);
  ResolvedPlan out;
  Plan& plan = out.plan;
  check_transformer(s.transformer, s.source);
  plan = degrees_of(s);
  check_work(errors, s);
  check_job(errors, s.job, plan, s.transformer);
  for (const Contradiction& found : check_stores(s))
    errors.report(found.code, found.message, found.pointers, found.help);
  check_division(errors, plan, s.transformer, s.cluster);
  errors.finish();
  plan.data = decide_data(errors, plan, s.job.parallel, s.cluster.spec.accelerators);
  plan.shard_group = decide_shard_group(errors, s, plan);
  errors.finish();
  decide_experts(errors, out, s);
  decide_batches(errors, plan, s.job);
  check_size(errors, plan, s.transformer.layers);
  errors.finish();
  const int shards = plan.shard_group;
  set_sharding(s, plan.sharding, shards, plan);
  for (const Contradiction& found : site_contradictions(s, plan))
    errors.report(found.code, found.message, found.pointers, found.help);
  decide_pipeline_schedule(errors, out, s);
  errors.finish();
  plan.paired = s.stack.experts.overlap_exchange && plan.expert > 1 &&
                plan.schedule == PipelineSchedule::one_forward_one_backward;
  note_assumptions(s.job, out);
  note_routing(s, out);
  return out;
}

}  // namespace clusterwright
