#include "calibration/measured_scenario.hpp"

#include <optional>

#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "topology/catalog.hpp"

namespace clusterwright {

namespace {

/// Published rows rarely describe switches; these are between the data sheets of the switches in the catalog.
constexpr Seconds assumed_hop_latency = 0.6 * microsecond;
constexpr int any_size = 1 << 24;

std::string unsupported_model(const MeasuredModel& model) {
  if (model.experts) return "mixture of experts is not modelled yet";
  if (model.latent_attention || model.sliding_window) return "this kind of attention is not modelled yet";
  if (model.trainable != "all") return "only training of all weights is modelled yet";
  if (!model.layers || !model.hidden || !model.heads || !model.ffn || !model.vocabulary || !model.sequence)
    return "model dimensions are not published";
  return {};
}

std::string unsupported_job(const MeasuredJob& job) {
  if (job.context.value_or(1) > 1) return "context parallelism is not modelled yet";
  if (job.sharding != "none" && job.sharding != "zero1" && job.sharding != "zero2")
    return "sharding \"" + job.sharding + "\" is not modelled yet";
  if (!job.tensor || !job.pipeline || !job.global_batch) return "layout is not published";
  if (job.offload.value_or(false)) return "offload is not modelled yet";
  return {};
}

std::optional<Precision> precision_of(const std::string& text) {
  if (text == "bf16") return Precision::bf16;
  if (text == "fp16") return Precision::fp16;
  if (text == "fp8-tensor") return Precision::fp8;
  return {};
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
  // Models with plain MLPs are of the GPT-2 and GPT-3 line.
  t.biases = !t.gated_mlp;
  t.tied_embeddings = m.tied_embeddings.value_or(!t.gated_mlp);
  t.normalisation = t.gated_mlp ? Normalisation::rms : Normalisation::layer;
  t.positions = t.gated_mlp ? PositionEncoding::rotary : PositionEncoding::learned;
  t.max_sequence = *m.sequence;
  return t;
}

std::optional<int> narrow(const std::optional<std::int64_t>& value) {
  return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

Job job_of(const MeasuredModel& model, const MeasuredJob& m, Precision precision) {
  Job job;
  job.sequence = static_cast<int>(*model.sequence);
  job.global_batch = static_cast<int>(*m.global_batch);
  job.micro_batch = narrow(m.micro_batch);
  job.precision = precision;
  job.parallel.tensor = narrow(m.tensor);
  job.parallel.pipeline = narrow(m.pipeline);
  job.parallel.virtual_pipeline = narrow(m.virtual_pipeline);
  job.parallel.sequence = m.sequence_parallel.value_or(m.release >= "2022-05");
  job.sharding = m.sharding == "none" ? Sharding::none : m.sharding == "zero1" ? Sharding::zero1 : Sharding::zero2;
  const std::string recompute = m.recompute.value_or("none");
  job.recompute = recompute == "full"        ? Recompute::full
                  : recompute == "selective" ? Recompute::selective
                                             : Recompute::none;
  return job;
}

ClusterSpec cluster_of(const MeasuredHardware& hardware) {
  ClusterSpec spec;
  spec.name = "as published";
  spec.accelerators = hardware.accelerators;
  spec.node.accelerator = hardware.accelerator;
  spec.node.accelerators = std::min(hardware.accelerators, hardware.accelerators_per_node);
  spec.node.nics = hardware.scale_out ? *spec.node.accelerators : 0;
  spec.node.nic = "ConnectX-7 NDR";  // the rate is given, so only the name counts
  spec.node.nic_rate = hardware.scale_out;
  const bool pods = hardware.pod_accelerators && hardware.oversubscription_above_pod;
  if (pods) spec.fabric.tiers.push_back({"pod", *hardware.pod_accelerators, *hardware.oversubscription_above_pod, ""});
  spec.fabric.tiers.push_back({"all", pods ? *hardware.pod_accelerators * 4096 : any_size, 1, ""});
  spec.fabric.hop_latency.value = assumed_hop_latency;
  return spec;
}

}  // namespace

ScenarioShelf load_shelf(const std::filesystem::path& configs) {
  ScenarioShelf shelf{load_catalog(configs / "parts"), {}};
  for (const auto& entry : std::filesystem::directory_iterator(configs / "stacks")) {
    const auto stack = decode_record<SoftwareStack>(read_json_file(entry.path()));
    shelf.stacks[stack.name] = stack;
  }
  return shelf;
}

std::string stack_of(const std::string& framework, const std::string& release) {
  if (framework == "meta-internal") return "llama3-report";
  if (framework == "megatron-lm" || framework == "nemo" || framework == "megatron-bridge" ||
      framework == "mlperf-nvidia")
    return release >= "2023" ? "megatron-2024" : "megatron-2022";
  return {};
}

std::variant<Scenario, std::string> measured_scenario(const Measurement& measurement, const ScenarioShelf& shelf,
                                                      const ParameterSet& parameters) {
  if (!measurement.step) return "no training step";
  const MeasuredModel& model = measurement.step->model;
  const MeasuredJob& job = measurement.step->job;
  if (std::string why = unsupported_model(model); !why.empty()) return why;
  if (std::string why = unsupported_job(job); !why.empty()) return why;
  const auto precision = precision_of(job.precision.value_or("bf16"));
  if (!precision) return "precision \"" + *job.precision + "\" is not modelled yet";
  const auto stack = shelf.stacks.find(stack_of(job.framework, job.release));
  if (stack == shelf.stacks.end()) return "no stack describes \"" + job.framework + "\"";
  Scenario scenario;
  scenario.source = JsonValue::object();
  scenario.transformer = transformer_of(model);
  scenario.job = job_of(model, job, *precision);
  scenario.stack = stack->second;
  scenario.parameters = parameters;
  try {
    scenario.cluster = build_cluster(cluster_of(measurement.hardware), shelf.catalog, scenario.source);
  } catch (const ConfigError& error) {
    return error.diagnostics().front().message;
  }
  return scenario;
}

}  // namespace clusterwright
