#include "models/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/pipeline_schedule.hpp"
#include "models/stage_layout.hpp"
#include "models/store_check.hpp"

namespace clusterwright {

namespace {

/// Collects contradictions between fields, each with the places of both.
class Contradictions {
 public:
  explicit Contradictions(const JsonValue& source) : source_(source) {}

  void report(std::string code, std::string message, const std::vector<std::string>& pointers, std::string help = {}) {
    Diagnostic d{std::move(code), std::move(message), {}, "", std::move(help)};
    for (const std::string& pointer : pointers)
      if (const JsonValue* value = source_.at_pointer(pointer)) d.places.push_back(value->place(pointer));
    if (d.places.empty()) d.places.push_back(source_.place(""));
    errors_.push_back(std::move(d));
  }
  void finish() const {
    if (!errors_.empty()) throw ConfigError(errors_);
  }

 private:
  const JsonValue& source_;
  std::vector<Diagnostic> errors_;
};

/// Ops that one layer costs for one micro-batch, roughly, and ops that fit into a few gigabytes.
constexpr double ops_per_layer = 50;
constexpr double most_ops = 30e6;

constexpr const char* tensor_path = "/job/parallel/tensor";

void check_division(Contradictions& errors, const Plan& plan, const Transformer& model, const Cluster& cluster) {
  const auto must_divide = [&](std::int64_t whole, const char* what, const char* pointer) {
    if (whole % plan.tensor == 0) return;
    errors.report("E0310", fmt::format("tensor must divide the {} (got {}, {} {})", what, plan.tensor, what, whole),
                  {tensor_path, pointer});
  };
  must_divide(model.heads, "attention heads", "/transformer/heads");
  must_divide(model.ffn, "MLP width", "/transformer/ffn");
  if (model.key_value_heads() % plan.tensor != 0 && plan.tensor % model.key_value_heads() != 0)
    errors.report("E0310",
                  fmt::format("tensor must divide the key-value heads or be a multiple of them (got {}, kv_heads {})",
                              plan.tensor, model.key_value_heads()),
                  {tensor_path, "/transformer/kv_heads"});
  const int domain = cluster.domain;
  if (domain % plan.tensor != 0 && plan.tensor % domain != 0) {
    const bool racks = domain > cluster.node_accelerators;
    errors.report("E0310",
                  fmt::format("tensor groups must fill {} evenly (got {}, {} accelerators per {})",
                              racks ? "scale-up domains" : "nodes", plan.tensor, domain, racks ? "domain" : "node"),
                  {tensor_path, "/cluster/node/accelerators"},
                  racks ? "or leave some accelerators of a domain out: \"scale_up_domain\": 64 of an NVL72 rack" : "");
  }
  if (plan.pipeline > model.layers)
    errors.report("E0310", fmt::format("more pipeline stages than layers ({} > {})", plan.pipeline, model.layers),
                  {"/job/parallel/pipeline", "/transformer/layers"});
}

/// Ways to split a sequence, and what is trained of it.
void check_job(Contradictions& errors, const Job& job, const Plan& plan, const Transformer& model) {
  if (job.parallel.expert.value_or(1) > 1)
    errors.report("E0313", fmt::format("expert parallelism is not modelled yet (got {})", *job.parallel.expert),
                  {"/job/parallel/expert"}, "set it to 1");
  if (job.sequence % plan.context != 0)
    errors.report("E0310",
                  fmt::format("context must divide the sequence (got {}, sequence {})", plan.context, job.sequence),
                  {"/job/parallel/context", "/job/sequence"});
  const bool heads = plan.context > 1 && plan.context_exchange == ContextExchange::all_to_all;
  if (heads && model.heads % (static_cast<std::int64_t>(plan.tensor) * plan.context) != 0)
    errors.report(
        "E0310",
        fmt::format("exchanging heads, tensor x context must divide the attention heads (got {} x {}, heads {})",
                    plan.tensor, plan.context, model.heads),
        {"/job/parallel/context", "/transformer/heads"}, "use \"context_exchange\": \"ring\"");
  if ((job.task == Task::lora) != (job.lora_rank > 0))
    errors.report("E0310",
                  job.lora_rank > 0 ? "adapters have a rank, but the task is not lora" : "task lora needs lora_rank",
                  {"/job/lora_rank", "/job/task"});
  if (job.shard_group && job.sharding != Sharding::hsdp)
    errors.report("E0310", "shard_group says how hsdp shares, but sharding is another",
                  {"/job/shard_group", "/job/sharding"});
  if (job.offload.weights != Tier::device && (!shards_weights(job.sharding) || plan.pipeline > 1))
    errors.report("E0313", "weights beyond the accelerator are modelled only where layers are gathered one by one",
                  {"/job/offload/weights", "/job/sharding"}, "use sharding fsdp without pipeline stages");
}

/// Ranks of a node that hold the same weights, or the most that divide all of them.
int shard_group_of_node(const Scenario& s, const Plan& plan) {
  const int all = plan.gradient_ranks();
  const bool stages_inside = s.stack.rank_order == RankOrder::tensor_context_pipeline_data;
  int group = std::clamp(s.cluster.node_accelerators / (plan.tensor * (stages_inside ? plan.pipeline : 1)), 1, all);
  while (all % group != 0) --group;
  return group;
}

int decide_shard_group(Contradictions& errors, const Scenario& s, const Plan& plan) {
  const Job& job = s.job;
  const int all = plan.gradient_ranks();
  if (job.sharding != Sharding::hsdp) return all;
  const int group = job.shard_group ? *job.shard_group : shard_group_of_node(s, plan);
  if (all % group != 0)
    errors.report("E0310",
                  fmt::format("shard_group must divide the {} ranks that hold the same weights (got {})", all, group),
                  {"/job/shard_group", "/job/parallel/data"});
  return group;
}

/// Replicas from the accelerators that are there, or the contradiction.
int decide_data(Contradictions& errors, const Plan& plan, const ParallelSpec& parallel, int accelerators) {
  const int replica = plan.tensor * plan.pipeline * plan.context;
  const int data = parallel.data.value_or(std::max(1, accelerators / replica));
  if (replica * data != accelerators)
    errors.report(
        "E0311",
        fmt::format("tensor {} x pipeline {} x context {}{} does not make {} accelerators", plan.tensor, plan.pipeline,
                    plan.context,
                    parallel.data ? fmt::format(" x data {} = {}", data, replica * data)
                                  : fmt::format(" = {} accelerators per replica", replica),
                    accelerators),
        {parallel.data ? "/job/parallel/data" : "/job/parallel/pipeline", "/cluster/accelerators"},
        fmt::format("use a multiple of {} accelerators{}", replica, parallel.data ? ", or \"data\": \"auto\"" : ""));
  return data;
}

void decide_batches(Contradictions& errors, Plan& plan, const Job& job) {
  plan.micro_batch = job.micro_batch.value_or(1);
  plan.global_batch = job.global_batch;
  const std::int64_t stride = static_cast<std::int64_t>(plan.micro_batch) * plan.data;
  if (plan.global_batch % stride != 0) {
    errors.report("E0312",
                  fmt::format("micro_batch {} x data {} = {} must divide the global batch {}", plan.micro_batch,
                              plan.data, stride, plan.global_batch),
                  {"/job/global_batch", "/job/micro_batch"});
    return;
  }
  plan.micro_batches = static_cast<int>(plan.global_batch / stride);
}

void check_size(Contradictions& errors, const Plan& plan, std::int64_t layers) {
  const double ops = ops_per_layer * static_cast<double>(layers) * plan.micro_batches;
  if (ops <= most_ops) return;
  errors.report("E0502",
                fmt::format("{} micro-batches through {} layers are too much to simulate (about {:.0f} million ops, at "
                            "most {:.0f})",
                            plan.micro_batches, layers, ops / 1e6, most_ops / 1e6),
                {"/job/global_batch"}, "a smaller batch per replica, or a larger micro-batch");
}

/// The largest number of chunks per stage that splits the layers evenly and that the interleaved schedule allows.
int largest_virtual(const Plan& plan, std::int64_t layers, int most) {
  if (plan.pipeline == 1 || plan.micro_batches % plan.pipeline != 0) return 1;
  int best = 1;
  for (int v = 2; v <= most && static_cast<std::int64_t>(v) * plan.pipeline <= layers + 2; ++v)
    if (splits_evenly(layers, plan.pipeline * v)) best = v;
  return best;
}

void decide_virtual(Contradictions& errors, ResolvedPlan& out, const Scenario& s) {
  const ParallelSpec& parallel = s.job.parallel;
  const std::int64_t layers = s.transformer.layers;
  Plan& plan = out.plan;
  if (!parallel.virtual_pipeline) {
    plan.virtual_pipeline = largest_virtual(plan, layers, s.stack.most_virtual);
    if (plan.pipeline > 1)
      out.assumptions.push_back({"virtual pipeline stages", std::to_string(plan.virtual_pipeline), "default",
                                 "not given: the largest that divides the layers and suits the micro-batches"});
    return;
  }
  plan.virtual_pipeline = *parallel.virtual_pipeline;
  const char* pointer = "/job/parallel/virtual_pipeline";
  if (plan.virtual_pipeline == 1) return;
  if (plan.pipeline == 1) errors.report("E0310", "virtual stages need more than one pipeline stage", {pointer});
  const int group = interleaving_group(plan.pipeline, plan.micro_batches);
  if (group == 0)
    errors.report("E0312",
                  fmt::format("an interleaved schedule needs at least as many micro-batches as stages (got {}, {} "
                              "stages)",
                              plan.micro_batches, plan.pipeline),
                  {pointer, "/job/global_batch"}, "use \"virtual_pipeline\": 1 or a larger batch");
  if (group > plan.pipeline) {
    plan.larger_group = group;
    out.assumptions.push_back({"interleaved micro-batches", fmt::format("groups of {}", group), "default",
                               "the stages do not divide the micro-batches: the next group that does"});
  }
  if (static_cast<std::int64_t>(plan.virtual_pipeline) * plan.pipeline > layers + 2)
    errors.report("E0310", fmt::format("{} chunks for {} layers", plan.virtual_pipeline * plan.pipeline, layers),
                  {pointer, "/transformer/layers"});
}

Plan degrees_of(const Scenario& s) {
  const Job& job = s.job;
  Plan plan;
  plan.tensor = job.parallel.tensor.value_or(std::min(s.cluster.node_accelerators, s.cluster.spec.accelerators));
  plan.pipeline = job.parallel.pipeline.value_or(1);
  plan.context = job.parallel.context.value_or(1);
  plan.context_exchange = job.parallel.context_exchange.value_or(s.stack.context_exchange);
  plan.sequence_parallel = job.parallel.sequence && plan.tensor > 1;
  plan.sharding = job.sharding;
  plan.recompute = job.recompute.value_or(Recompute::none);
  return plan;
}

void note_assumptions(const Job& job, ResolvedPlan& out) {
  if (!job.parallel.tensor)
    out.assumptions.push_back(
        {"tensor group", std::to_string(out.plan.tensor), "default", "auto: the accelerators of a node"});
  if (job.sharding == Sharding::hsdp && !job.shard_group)
    out.assumptions.push_back(
        {"shard group", std::to_string(out.plan.shard_group), "default", "not given: the ranks of a node"});
}

}  // namespace

ResolvedPlan resolve_plan(const Scenario& s) {
  Contradictions errors(s.source);
  ResolvedPlan out;
  Plan& plan = out.plan;
  plan = degrees_of(s);
  check_job(errors, s.job, plan, s.transformer);
  for (const Contradiction& found : check_stores(s))
    errors.report(found.code, found.message, found.pointers, found.help);
  if (s.cluster.mixed())
    errors.report("E0324", "a step on nodes of several kinds is not modelled yet", {"/cluster/also"},
                  "describe one kind of nodes and leave \"also\" out");
  check_division(errors, plan, s.transformer, s.cluster);
  errors.finish();
  plan.data = decide_data(errors, plan, s.job.parallel, s.cluster.spec.accelerators);
  plan.shard_group = decide_shard_group(errors, s, plan);
  errors.finish();
  decide_batches(errors, plan, s.job);
  check_size(errors, plan, s.transformer.layers);
  errors.finish();
  decide_virtual(errors, out, s);
  errors.finish();
  note_assumptions(s.job, out);
  return out;
}

}  // namespace clusterwright
