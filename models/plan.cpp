#include "models/plan.hpp"

#include <fmt/format.h>

#include "models/stage_layout.hpp"

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

void check_modelled(Contradictions& errors, const ParallelSpec& parallel) {
  const auto later = [&](std::optional<int> degree, const char* name) {
    if (degree.value_or(1) > 1)
      errors.report("E0313", fmt::format("{} parallelism is not modelled yet (got {})", name, *degree),
                    {fmt::format("/job/parallel/{}", name)}, "set it to 1");
  };
  later(parallel.context, "context");
  later(parallel.expert, "expert");
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
int largest_virtual(const Plan& plan, std::int64_t layers) {
  if (plan.pipeline == 1 || plan.micro_batches % plan.pipeline != 0) return 1;
  int best = 1;
  for (int v = 2; static_cast<std::int64_t>(v) * plan.pipeline <= layers + 2; ++v)
    if (splits_evenly(layers, plan.pipeline * v)) best = v;
  return best;
}

void decide_virtual(Contradictions& errors, ResolvedPlan& out, const ParallelSpec& parallel, std::int64_t layers) {
  Plan& plan = out.plan;
  if (!parallel.virtual_pipeline) {
    plan.virtual_pipeline = largest_virtual(plan, layers);
    if (plan.pipeline > 1)
      out.assumptions.push_back({"virtual pipeline stages", std::to_string(plan.virtual_pipeline), "default",
                                 "not given: the largest that divides the layers and suits the micro-batches"});
    return;
  }
  plan.virtual_pipeline = *parallel.virtual_pipeline;
  const char* pointer = "/job/parallel/virtual_pipeline";
  if (plan.virtual_pipeline == 1) return;
  if (plan.pipeline == 1) errors.report("E0310", "virtual stages need more than one pipeline stage", {pointer});
  if (plan.micro_batches % plan.pipeline != 0)
    errors.report("E0312",
                  fmt::format("an interleaved schedule needs micro-batches in multiples of the stages (got {}, {} "
                              "stages)",
                              plan.micro_batches, plan.pipeline),
                  {pointer, "/job/global_batch"}, "use \"virtual_pipeline\": 1 or another batch");
  if (static_cast<std::int64_t>(plan.virtual_pipeline) * plan.pipeline > layers + 2)
    errors.report("E0310", fmt::format("{} chunks for {} layers", plan.virtual_pipeline * plan.pipeline, layers),
                  {pointer, "/transformer/layers"});
}

}  // namespace

ResolvedPlan resolve_plan(const Cluster& cluster, const Transformer& transformer, const Job& job,
                          const JsonValue& source) {
  Contradictions errors(source);
  ResolvedPlan out;
  Plan& plan = out.plan;
  plan.tensor = job.parallel.tensor.value_or(std::min(cluster.node_accelerators, cluster.spec.accelerators));
  plan.pipeline = job.parallel.pipeline.value_or(1);
  plan.sequence_parallel = job.parallel.sequence && plan.tensor > 1;
  plan.sharding = job.sharding;
  plan.recompute = job.recompute.value_or(Recompute::none);
  check_modelled(errors, job.parallel);
  if (cluster.mixed())
    errors.report("E0324", "a step on nodes of several kinds is not modelled yet", {"/cluster/also"},
                  "describe one kind of nodes and leave \"also\" out");
  check_division(errors, plan, transformer, cluster);
  errors.finish();
  plan.data = decide_data(errors, plan, job.parallel, cluster.spec.accelerators);
  errors.finish();
  decide_batches(errors, plan, job);
  check_size(errors, plan, transformer.layers);
  errors.finish();
  decide_virtual(errors, out, job.parallel, transformer.layers);
  errors.finish();
  if (!job.parallel.tensor)
    out.assumptions.push_back(
        {"tensor group", std::to_string(plan.tensor), "default", "auto: the accelerators of a node"});
  if (!job.parallel.pipeline) out.assumptions.push_back({"pipeline stages", "1", "default", "auto: none"});
  if (!job.micro_batch) out.assumptions.push_back({"micro-batch", "1", "default", "not given"});
  return out;
}

}  // namespace clusterwright
