// SPDX-License-Identifier: Apache-2.0
#include "calibration/measured/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "calibration/measured/measurement_fields.hpp"
#include "sim/enum_array.hpp"
#include "sim/json_reader.hpp"

namespace clusterwright {

// Copied and moved here, not in every file that holds one: their members are many.
Measurement::Measurement() = default;
Measurement::Measurement(const Measurement&) = default;
Measurement::Measurement(Measurement&&) noexcept = default;
Measurement& Measurement::operator=(const Measurement&) = default;
Measurement& Measurement::operator=(Measurement&&) noexcept = default;
Measurement::~Measurement() = default;

template <>
struct EnumNames<MeasurementKind> {  ///< without `other`
  static constexpr std::array<std::string_view, 7> names = {
      "gemm", "collective", "memory_bandwidth", "attention", "training_step", "memory_footprint", "power"};
};

namespace {

void read_datasheet(const JsonValue& value, MeasuredHardware& out) {
  for (const auto& [format, peak] : required(value, "peak_dense_tflops").members())
    out.peak_dense[format] = to_number(peak) * teraflop_per_second;
  out.memory_bandwidth = maybe_quantity(value, "memory_tb_per_s", terabyte_per_second);
  out.power = maybe_quantity(value, "power_w", watt);
}

MeasuredHardware read_hardware(const JsonValue& value) {
  MeasuredHardware out;
  out.accelerator = text(value, "accelerator");
  out.accelerators = count(value, "accelerators");
  out.accelerators_per_node = count(value, "accelerators_per_node");
  out.memory = number(value, "memory_gb") * gigabyte;
  const JsonValue& scale_up = required(value, "scale_up");
  out.scale_up_kind = text(scale_up, "kind");
  out.scale_up_domain = count(scale_up, "domain_size");
  out.scale_up = maybe_quantity(scale_up, "gb_per_s_per_direction", gigabyte_per_second);
  const JsonValue& scale_out = required(value, "scale_out");
  out.scale_out_kind = text(scale_out, "kind");
  out.scale_out = maybe_quantity(scale_out, "gbit_per_s_per_accelerator", gigabit_per_second);
  if (const auto pod = maybe_integer(scale_out, "pod_accelerators")) out.pod_accelerators = static_cast<int>(*pod);
  out.oversubscription_above_pod = maybe_number(scale_out, "oversubscription_above_pod");
  out.power_limit = maybe_quantity(value, "power_limit_w", watt);
  read_datasheet(required(value, "datasheet"), out);
  return out;
}

const std::vector<JsonValue>& numbers_of_point(const JsonValue& point, std::size_t length) {
  if (to_list(point).size() != length) refuse_measurement("E0203", fmt::format("must hold {} numbers", length), point);
  return point.elements();
}

MeasuredGemm read_gemm(const JsonValue& value) {
  MeasuredGemm out{.dtype = text(value, "dtype"),
                   .groups = count(value, "groups"),
                   .library = text(value, "library"),
                   .best_of_search = to_boolean(required(value, "best_of_search")),
                   .points = {}};
  for (const JsonValue& point : to_list(required(value, "points"))) {
    const auto& entry = numbers_of_point(point, 4);
    out.points.push_back(
        {to_integer(entry[0]), to_integer(entry[1]), to_integer(entry[2]), to_number(entry[3]) * microsecond});
  }
  return out;
}

double positive(const JsonValue& value) {
  const double number = to_number(value);
  if (number <= 0) refuse_measurement("E0202", fmt::format("must be > 0 (got {})", number), value);
  return number;
}

std::optional<int> maybe_count(const JsonValue& value, std::string_view key) {
  const auto found = maybe_integer(value, key);
  return found ? std::optional<int>(static_cast<int>(*found)) : std::nullopt;
}

MeasuredCollective read_collective(const JsonValue& value) {
  positive(required(value, "ranks"));
  positive(required(value, "ranks_per_node"));
  MeasuredCollective out{.op = text(value, "op"),
                         .ranks = count(value, "ranks"),
                         .ranks_per_node = count(value, "ranks_per_node"),
                         .bytes_convention = text(value, "bytes_convention"),
                         .in_network_reduction = maybe_boolean(value, "in_network_reduction"),
                         .tokens_per_rank = maybe_count(value, "tokens_per_rank"),
                         .top_k = maybe_count(value, "topk"),
                         .domain_limit = maybe_count(value, "domain_limit"),
                         .scale_up_used = maybe_boolean(value, "scale_up_used"),
                         .points = {}};
  for (const JsonValue& point : to_list(required(value, "points"))) {
    const auto& entry = numbers_of_point(point, 2);
    out.points.push_back({positive(entry[0]) * byte, positive(entry[1]) * microsecond});
  }
  return out;
}

MeasuredMemory read_memory(const JsonValue& value, const JsonValue& measured) {
  return {text(value, "op"), text(value, "path"), maybe_quantity(value, "bytes", byte),
          number(measured, "bandwidth_gb_per_s") * gigabyte_per_second};
}

MeasuredAttention read_attention(const JsonValue& value, const JsonValue& measured) {
  return {.kernel = text(value, "kernel"),
          .pass = text(value, "pass"),
          .dtype = text(value, "dtype"),
          .batch = integer(value, "batch"),
          .sequence = integer(value, "seq"),
          .head_width = integer(value, "head_dim"),
          .value_width = maybe_integer(value, "value_dim"),
          .heads = maybe_integer(value, "heads"),
          .causal = maybe_boolean(value, "causal"),
          .window = maybe_integer(value, "window"),
          .rate = number(measured, "tflops") * teraflop_per_second};
}

MeasuredLatentAttention read_latent_attention(const JsonValue& value) {
  return {integer(value, "q_lora_rank"), integer(value, "kv_lora_rank"), integer(value, "qk_nope_dim"),
          integer(value, "qk_rope_dim"), integer(value, "v_dim")};
}

MeasuredExperts read_experts(const JsonValue& value) {
  return {integer(value, "experts"),      integer(value, "topk"),
          integer(value, "expert_ffn"),   integer(value, "shared_experts"),
          integer(value, "dense_layers"), maybe_integer(value, "every"),
          maybe_integer(value, "groups"), maybe_integer(value, "limited_groups")};
}

MeasuredModel read_model(const JsonValue& value) {
  MeasuredModel out;
  out.name = text(value, "name");
  out.layers = maybe_integer(value, "layers");
  out.hidden = maybe_integer(value, "hidden");
  out.heads = maybe_integer(value, "heads");
  out.kv_heads = maybe_integer(value, "kv_heads");
  out.head_width = maybe_integer(value, "head_dim");
  out.ffn = maybe_integer(value, "ffn");
  out.vocabulary = maybe_integer(value, "vocab");
  out.sequence = maybe_integer(value, "seq");
  out.gated_mlp = maybe_boolean(value, "gated_mlp");
  out.tied_embeddings = maybe_boolean(value, "tied_embeddings");
  if (const auto billions = maybe_number(value, "params_b")) out.parameters = *billions * 1e9;
  out.causal = to_boolean(required(value, "causal"));
  out.sliding_window = maybe_integer(value, "sliding_window");
  out.sliding_window_every = maybe_integer(value, "sliding_window_every");
  if (const JsonValue* latent = published(value, "mla")) out.latent = read_latent_attention(*latent);
  if (const JsonValue* experts = published(value, "moe")) out.experts = read_experts(*experts);
  out.trainable = text(value, "trainable");
  out.lora_rank = maybe_integer(value, "lora_rank");
  return out;
}

void read_parallelism(const JsonValue& value, MeasuredJob& out) {
  out.tensor = maybe_integer(value, "tp");
  out.pipeline = maybe_integer(value, "pp");
  out.virtual_pipeline = maybe_integer(value, "vpp");
  out.context = maybe_integer(value, "cp");
  out.expert = maybe_integer(value, "ep");
  out.expert_tensor = maybe_integer(value, "etp");
  out.data = maybe_integer(value, "dp");
  out.sequence_parallel = maybe_boolean(value, "sequence_parallel");
  out.sharding = text(value, "sharding");
  out.shard_group = maybe_integer(value, "shard_group");
}

/// What only public recipes say.
void read_recipe(const JsonValue& value, MeasuredJob& out) {
  out.offload_what = maybe_text(value, "offload_what");
  out.expert_dispatcher = maybe_text(value, "moe_dispatcher");
  out.expert_overlap = maybe_boolean(value, "moe_overlap");
  out.cuda_graph = maybe_text(value, "cuda_graph");
  out.remat_policy = maybe_text(value, "remat_policy");
  out.tensor_overlap = maybe_boolean(value, "tp_comm_overlap");
  out.capacity_factor = maybe_number(value, "capacity_factor");
}

MeasuredJob read_job(const JsonValue& value) {
  MeasuredJob out;
  out.task = text(value, "task");
  out.framework = text(value, "framework");
  out.release = date(value, "release");
  out.global_batch = maybe_integer(value, "global_batch");
  out.micro_batch = maybe_integer(value, "micro_batch");
  read_parallelism(value, out);
  out.recompute = maybe_text(value, "recompute");
  out.precision = maybe_text(value, "precision");
  out.schedule = maybe_text(value, "schedule");
  out.routing = maybe_text(value, "routing");
  out.offload = maybe_boolean(value, "offload");
  out.pure_low_precision = maybe_boolean(value, "pure_low_precision");
  out.packed_sequences = maybe_boolean(value, "packed_sequences");
  out.async_tensor = maybe_boolean(value, "async_tp");
  out.compiled = maybe_boolean(value, "compile");
  out.attention = maybe_text(value, "attention_kernel");
  out.master_weights = maybe_boolean(value, "master_weights");
  read_recipe(value, out);
  return out;
}

MeasuredStep read_step(const JsonValue& value, const JsonValue& measured) {
  return {read_model(required(value, "model")),
          read_job(required(value, "job")),
          maybe_number(measured, "tokens_per_s_per_accelerator"),
          maybe_quantity(measured, "step_time_s", second),
          maybe_quantity(measured, "peak_memory_gb", gigabyte),
          maybe_text(measured, "peak_memory_of")};
}

MeasuredFootprint read_footprint(const JsonValue& value, const JsonValue& measured, const std::string& score_field) {
  return {text(value, "item"), score_field == "activation_ratio", number(measured, score_field)};
}

MeasuredPower read_power(const JsonValue& value, const JsonValue& of_case, const JsonValue& measured) {
  MeasuredPower out{text(value, "workload"),
                    maybe_text(value, "measured_at"),
                    text(value, "cooling"),
                    number(measured, "node_power_w_mean") * watt,
                    {}};
  if (const JsonValue* model = published(of_case, "model")) out.model = read_model(*model);
  return out;
}

void read_block(const JsonValue& value, Measurement& out) {
  const JsonValue& measured = required(value, "measured");
  switch (measurement_kind(out.kind)) {
    case MeasurementKind::gemm:
      out.gemm = read_gemm(required(value, "gemm"));
      break;
    case MeasurementKind::collective:
      out.collective = read_collective(required(value, "collective"));
      break;
    case MeasurementKind::memory_bandwidth:
      out.memory = read_memory(required(value, "memory"), measured);
      break;
    case MeasurementKind::attention:
      out.attention = read_attention(required(value, "attention"), measured);
      break;
    case MeasurementKind::memory_footprint:
      out.step = read_step(value, measured);
      out.footprint = read_footprint(required(value, "footprint"), measured, out.score_field);
      break;
    case MeasurementKind::training_step:
      out.step = read_step(value, measured);
      break;
    case MeasurementKind::power:
      out.power = read_power(required(value, "power"), value, measured);
      break;
    case MeasurementKind::other:
      break;
  }
}

/// Files whose names start with each prefix in turn.
std::vector<Measurement> read_files(const std::filesystem::path& folder, std::initializer_list<const char*> prefixes) {
  std::vector<Measurement> out;
  for (const char* prefix : prefixes)
    for (const std::filesystem::path& file : measurement_files(folder, prefix))
      for (Measurement& measurement : read_measurements(file)) out.push_back(std::move(measurement));
  return out;
}

}  // namespace

MeasurementKind measurement_kind(std::string_view word) {
  const auto& names = EnumNames<MeasurementKind>::names;
  return static_cast<MeasurementKind>(std::find(names.begin(), names.end(), word) - names.begin());
}

Measurement read_measurement(const JsonValue& value) {
  Measurement out;
  out.id = text(value, "id");
  out.family = text(value, "family");
  out.kind = text(value, "kind");
  out.source = text(value, "source");
  out.score_field = text(value, "score_field");
  const JsonValue& quality = required(value, "quality");
  out.scored = to_boolean(required(quality, "score"));
  out.cell = maybe_text(quality, "cell").value_or("");
  for (const JsonValue& path : to_list(required(value, "unknown"))) out.unknown.push_back(to_text(path));
  out.hardware = read_hardware(required(value, "hardware"));
  read_block(value, out);
  return out;
}

std::vector<Measurement> read_measurements(const std::filesystem::path& file) {
  const JsonValue document = read_json_file(file, measurement_limits);
  std::vector<Measurement> out;
  for (const JsonValue& value : to_list(required(document, "cases"))) out.push_back(read_measurement(value));
  return out;
}

std::vector<std::filesystem::path> measurement_files(const std::filesystem::path& folder, std::string_view prefix) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json" && entry.path().filename().string().starts_with(prefix))
      files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::vector<Measurement> read_microbenchmarks(const std::filesystem::path& folder) {
  return read_files(folder, {"gemm", "collectives", "memory-bandwidth", "attention"});
}

std::vector<Measurement> read_training_steps(const std::filesystem::path& folder) {
  return read_files(folder, {"training-"});
}

}  // namespace clusterwright
