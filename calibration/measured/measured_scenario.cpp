// SPDX-License-Identifier: Apache-2.0
#include "calibration/measured/measured_scenario.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "calibration/measured/measured_cluster.hpp"
#include "models/job/job.hpp"
#include "models/job/job_blocks.hpp"
#include "models/job/job_software.hpp"
#include "models/job/parameter_choice.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

namespace {

/// Mean length of samples in packed fine-tuning sets, where it is not published: short dialogues and questions.
constexpr double assumed_sample_tokens = 512;
constexpr int assumed_lora_rank = 16;
/// Rows of an expert over the mean beyond which tokens are dropped, where it is not published.
constexpr double assumed_capacity_factor = 1;

std::string unsupported_model(const MeasuredModel& model) {
  if (!model.layers || !model.hidden || !model.heads || !model.ffn || !model.vocabulary || !model.sequence)
    return "model dimensions are not published";
  return {};
}

template <class E>
std::optional<E> enum_of(const std::string& text) {
  const auto& names = EnumNames<E>::names;
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return {};
  return static_cast<E>(found - names.begin());
}

std::optional<Precision> precision_of(const std::string& text) {
  return enum_of<Precision>(text == "fp8-tensor" ? "fp8" : text);
}

ExpertMixture mixture_of(const MeasuredExperts& m) {
  ExpertMixture experts;
  experts.experts = m.experts;
  experts.per_token = m.per_token;
  experts.ffn = m.ffn;
  experts.shared = m.shared;
  experts.dense_layers = m.dense_layers;
  experts.every = m.every.value_or(1);
  experts.groups = m.groups;
  experts.groups_per_token = m.limited_groups;
  return experts;
}

Transformer transformer_of(const MeasuredModel& m) {
  Transformer t;
  t.layers = *m.layers;
  t.hidden = *m.hidden;
  t.heads = *m.heads;
  t.kv_heads = m.kv_heads;
  t.head_width = m.head_width;
  t.ffn = *m.ffn;
  t.vocabulary = *m.vocabulary;
  t.gated_mlp = m.gated_mlp.value_or(false);
  // Models with plain MLPs descend from GPT-2 and GPT-3.
  t.biases = !t.gated_mlp;
  t.tied_embeddings = m.tied_embeddings.value_or(!t.gated_mlp);
  t.normalisation = t.gated_mlp ? Normalisation::rms : Normalisation::layer;
  t.positions = t.gated_mlp ? PositionEncoding::rotary : PositionEncoding::learned;
  t.max_sequence = *m.sequence;
  t.sliding_window = m.sliding_window;
  t.full_attention_every = m.sliding_window_every;
  if (m.experts) t.experts = mixture_of(*m.experts);
  if (m.latent) {
    t.latent = {m.latent->query_rank, m.latent->key_value_rank, m.latent->plain_width, m.latent->rotary_width,
                m.latent->value_width};
    t.kv_heads.reset();
  }
  return t;
}

std::optional<int> as_int(const std::optional<std::int64_t>& value) {
  return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

/// Cheap modules of a layer that are computed again instead of stored.
bool repeats_cheap_modules(const std::string& policy) {
  return policy.starts_with("modules:") &&
         (policy.find("norm") != std::string::npos || policy.find("act") != std::string::npos);
}

/// What the recipe repeats, if it says so and the models know it: a policy, or modules of a layer. Cheap modules are a
/// matter of the stack; of others, such as whole MLPs, the plan chooses as if nothing were published.
std::optional<Recompute> recompute_of(const MeasuredJob& m) {
  if (m.recompute) return enum_of<Recompute>(*m.recompute);
  const std::string policy = m.remat_policy.value_or("");
  if (policy == "full") return Recompute::full;
  if (policy == "minimal" || policy.find("mla_up_proj") != std::string::npos) return Recompute::selective;
  return repeats_cheap_modules(policy) ? std::optional(Recompute::none) : std::nullopt;
}

/// Tensors on the host by the word of the measurement set. Weights and states of most jobs are sharded already, so
/// that offloading moves activations where nothing is said.
Offload offload_of(const std::string& what) {
  Offload out;
  const bool all = what == "all";
  if (all || what == "activations") out.activations = MemoryLevel::host;
  if (all || what == "optimizer" || what == "weights-and-optimizer") out.optimizer = MemoryLevel::host;
  if (all || what == "weights-and-optimizer") out.weights = MemoryLevel::host;
  return out;
}

void describe_layout(const MeasuredJob& m, Job& job) {
  job.micro_batch = as_int(m.micro_batch);
  job.parallel.tensor = as_int(m.tensor);
  job.parallel.pipeline = as_int(m.pipeline);
  job.parallel.virtual_pipeline = m.schedule == "1f1b" ? 1 : as_int(m.virtual_pipeline);
  if (m.schedule) job.parallel.schedule = enum_of<PipelineSchedule>(*m.schedule).value_or(PipelineSchedule{});
  job.parallel.context = as_int(m.context).value_or(1);
  job.parallel.expert = as_int(m.expert);
  job.parallel.expert_tensor = as_int(m.expert_tensor);
  if (m.routing == "balanced") job.routing.imbalance = 0;
  if (m.routing == "token-drop") job.routing.capacity_factor = assumed_capacity_factor;
  if (m.capacity_factor) job.routing.capacity_factor = m.capacity_factor;
  job.parallel.sequence = m.sequence_parallel.value_or(m.release >= CalendarDate{2022, 5});
  job.sharding = enum_of<Sharding>(m.sharding).value_or(Sharding::zero1);
  if (job.sharding == Sharding::hsdp) job.shard_group = as_int(m.shard_group);
  job.recompute = recompute_of(m);
  job.attention = m.attention;
  job.master_weights = m.master_weights.value_or(true);
  if (m.offload.value_or(false)) job.offload = offload_of(m.offload_what.value_or("activations"));
}

Job job_of(const MeasuredModel& model, const MeasuredJob& m, Precision precision) {
  Job job;
  job.task = enum_of<Task>(m.task).value_or(Task::pretrain);
  job.sequence = static_cast<int>(*model.sequence);
  job.global_batch = static_cast<int>(*m.global_batch);
  job.precision = precision;
  job.release = m.release;
  if (model.trainable == "lora") {
    job.task = Task::lora;
    job.lora_rank = as_int(model.lora_rank).value_or(assumed_lora_rank);
  }
  if (m.packed_sequences.value_or(false)) job.sample_tokens = assumed_sample_tokens;
  describe_layout(m, job);
  if (!model.experts) job.parallel.expert = 1;
  return job;
}

/// What the recipe of a mixture of experts says. Of dispatch by all-gather there is no model: the stack's own stays.
void adjust_experts(const MeasuredJob& job, StackExperts& experts) {
  if (job.expert_overlap) experts.overlap_exchange = *job.expert_overlap;
  const std::string dispatcher = job.expert_dispatcher.value_or("");
  if (dispatcher == "alltoall") experts.transfer = ExpertTransfer::all_to_all;
  if (dispatcher == "deepep" || dispatcher == "hybridep") experts.transfer = ExpertTransfer::hierarchical;
}

std::optional<GraphCapture> capture_of(const MeasuredJob& job) {
  if (!job.cuda_graph) return {};
  if (*job.cuda_graph == "none") return GraphCapture::none;
  return *job.cuda_graph == "full" ? GraphCapture::all : GraphCapture::around_experts;
}

/// Stack with the switches of a job applied.
SoftwareStack adjusted(SoftwareStack stack, const MeasuredJob& job) {
  if (job.async_tensor.value_or(false)) stack.tensor_overlap = TensorOverlap::pieces;
  if (job.tensor_overlap) stack.tensor_overlap = *job.tensor_overlap ? TensorOverlap::pieces : TensorOverlap::none;
  stack.graph_capture = capture_of(job).value_or(stack.graph_capture);
  stack.lean_activations = stack.lean_activations || repeats_cheap_modules(job.remat_policy.value_or(""));
  adjust_experts(job, stack.experts);
  if (job.compiled && !*job.compiled) {
    stack.elementwise_traffic.value = 1;
    stack.fused_elementwise = false;
  }
  if (job.pure_low_precision.value_or(false)) stack.reduced_size = stack.gathered_size;
  return stack;
}

}  // namespace

ScenarioShelf load_shelf(const std::filesystem::path& configs) {
  ScenarioShelf shelf{load_catalog(configs / "parts"), {}, {}, {}};
  for (const auto& entry : std::filesystem::directory_iterator(configs / "stacks")) {
    const auto stack = decode_record<SoftwareStack>(read_json_file(entry.path()));
    shelf.stacks[stack.name] = stack;
  }
  for (const auto& entry : std::filesystem::directory_iterator(configs / "parameters"))
    shelf.parameters.push_back(decode_record<ParameterSet>(read_json_file(entry.path())));
  const auto by_name = [](const ParameterSet& a, const ParameterSet& b) { return a.name < b.name; };
  std::sort(shelf.parameters.begin(), shelf.parameters.end(), by_name);
  shelf.steps = decode_record<StepCalibration>(read_json_file(configs / "steps" / "published.json"));
  return shelf;
}

const ParameterSet* parameters_for(const ScenarioShelf& shelf, const std::string& accelerator) {
  return closest_set(shelf.parameters, accelerator);
}

namespace {

/// Stack of a framework for software from a date on.
struct DatedStack {
  std::string_view framework;  ///< empty: any that is not listed
  CalendarDate from;
  std::string_view stack;
};

/// Entries of one framework by date.
constexpr std::array<DatedStack, 33> dated_stacks = {{{"", {}, "generic-2021"},
                                                      {"", {2023, 7}, "generic-2023"},
                                                      {"", {2025, 1}, "generic-2025"},
                                                      {"megatron-lm", {}, "megatron-2022"},
                                                      {"megatron-lm", {2023, 1}, "megatron-2024"},
                                                      {"megatron-lm", {2025, 1}, "megatron-2025"},
                                                      {"megascale", {}, "megatron-2024"},
                                                      {"hai-llm", {}, "hai-llm-2024"},
                                                      {"meta-internal", {}, "llama3-report"},
                                                      {"nemo", {}, "nemo-2022"},
                                                      {"nemo", {2023, 1}, "nemo-2023"},
                                                      {"nemo", {2024, 1}, "nemo-2024"},
                                                      {"nemo", {2024, 11}, "nemo-2025"},
                                                      {"megatron-bridge", {}, "bridge-2025"},
                                                      {"megatron-bridge", {2026, 6}, "bridge-2026"},
                                                      {"mlperf-nvidia", {}, "nemo-2024"},
                                                      {"mlperf-nvidia", {2024, 11}, "nemo-2025"},
                                                      {"mlperf-amd", {}, "nemo-2024"},
                                                      {"mlperf-amd", {2024, 11}, "nemo-2025"},
                                                      {"megatron-deepspeed", {}, "deepspeed-2022"},
                                                      {"megatron-deepspeed", {2023, 7}, "deepspeed-2023"},
                                                      {"megatron-deepspeed-zero3", {}, "deepspeed-zero3-2021"},
                                                      {"deepspeed-zero3", {}, "deepspeed-zero3-2021"},
                                                      {"gpt-neox", {}, "deepspeed-2022"},
                                                      {"fsdp-llm-foundry", {}, "llm-foundry-2023"},
                                                      {"fsdp-llm-foundry", {2023, 10}, "llm-foundry-2024"},
                                                      {"torchtitan", {}, "torchtitan-2024"},
                                                      {"torchtitan", {2025, 1}, "torchtitan-2025"},
                                                      {"automodel", {}, "automodel-2025"},
                                                      {"maxtext", {}, "xla-2024"},
                                                      {"paxml", {}, "paxml-2024"},
                                                      {"mlperf-google", {}, "xla-2024"},
                                                      {"t5x-pathways", {}, "xla-2024"}}};

/// The newest stack if the release is not known.
std::string_view newest_stack(std::string_view framework, const CalendarDate& release) {
  std::string_view stack;
  for (const DatedStack& one : dated_stacks)
    if (one.framework == framework && (!release.known() || !(release < one.from))) stack = one.stack;
  return stack;
}

}  // namespace

std::string stack_of(const MeasuredJob& job) {
  if (job.framework == "megatron-lm" && job.release.known() && job.release < CalendarDate{2023, 1} &&
      job.sharding == "zero3")
    return "deepspeed-zero3-2021";
  const std::string_view own = newest_stack(job.framework, job.release);
  // DeepSpeed's bf16 engine differs from its fp16 engine: it keeps and reduces gradients in 32 bit.
  if (own == "deepspeed-2022" && job.precision == "bf16" && job.framework == "megatron-deepspeed")
    return "deepspeed-bf16-2022";
  return std::string(own.empty() ? newest_stack("", job.release) : own);
}

std::variant<Scenario, std::string> measured_scenario(const Measurement& measurement, const ScenarioShelf& shelf) {
  if (!measurement.step) return "no training step";
  const MeasuredModel& model = measurement.step->model;
  const MeasuredJob& job = measurement.step->job;
  if (std::string why = unsupported_model(model); !why.empty()) return why;
  if (!job.global_batch) return "the batch is not published";
  const auto precision = precision_of(job.precision.value_or("bf16"));
  if (!precision) return "precision \"" + *job.precision + "\" is not modelled yet";
  const auto stack = shelf.stacks.find(stack_of(job));
  if (stack == shelf.stacks.end()) return "no stack describes \"" + job.framework + "\"";
  const ParameterSet* parameters = parameters_for(shelf, measurement.hardware.accelerator);
  if (!parameters) return "no parameters for \"" + measurement.hardware.accelerator + "\"";
  Scenario scenario;
  scenario.ran = true;
  scenario.source = JsonValue::object();
  scenario.transformer = transformer_of(model);
  scenario.job = job_of(model, job, *precision);
  scenario.stack = with_choices(adjusted(stack->second, job), scenario.job);
  scenario.parameters = *parameters;
  scenario.steps = shelf.steps;
  try {
    const ClusterSpec cluster = measured_cluster(measurement.hardware, shelf.catalog.accelerators);
    scenario.cluster = build_cluster(cluster, shelf.catalog, scenario.source, "",
                                     block_request(scenario.transformer, scenario.job, cluster.accelerators));
  } catch (const ConfigError& error) {
    return error.diagnostics().front().message;
  }
  scenario.stack = with_kernels_of(scenario.stack, scenario.job, scenario.transformer, scenario.cluster.accelerator);
  return scenario;
}

}  // namespace clusterwright
