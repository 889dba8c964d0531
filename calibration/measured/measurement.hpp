// SPDX-License-Identifier: Apache-2.0
/// Published measurements as plain structs; their schema is calibration/measurements/schema.json.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/calendar_date.hpp"
#include "sim/json_value.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Machine of a measurement. Empty means "not published" or "no such network".
struct MeasuredHardware {
  std::string accelerator;  ///< catalog name
  int accelerators = 1;
  int accelerators_per_node = 1;
  Bytes memory;
  std::string scale_up_kind;
  int scale_up_domain = 1;
  std::optional<BytesPerSecond> scale_up;  ///< one accelerator, one direction
  std::string scale_out_kind;
  std::optional<BytesPerSecond> scale_out;  ///< NIC share of one accelerator, one direction
  std::optional<int> pod_accelerators;      ///< size of a pod, above which bisection is not full
  std::optional<double> oversubscription_above_pod;
  std::optional<Watts> power_limit;                  ///< limit that differs from the data sheet
  std::map<std::string, FlopsPerSecond> peak_dense;  ///< data sheet, by number format
  std::optional<BytesPerSecond> memory_bandwidth;
  std::optional<Watts> power;
};

/// GEMMs of one format; time of one of `groups` equal problems in a launch.
struct MeasuredGemm {
  struct Point {
    std::int64_t m, n, k;
    Seconds time;
  };
  std::string dtype;  ///< bf16, fp16, fp8-tensor, ...
  int groups = 1;
  std::string library;  ///< class of kernels, not a release
  bool best_of_search = false;
  std::vector<Point> points;
};

struct MeasuredCollective {
  struct Point {
    Bytes size;  ///< size by `bytes_convention`
    Seconds time;
  };
  std::string op;
  int ranks = 1;
  int ranks_per_node = 1;
  std::string bytes_convention;
  std::optional<bool> in_network_reduction;
  std::optional<int> tokens_per_rank, top_k, domain_limit;  ///< of an exchange of experts
  std::optional<bool> scale_up_used;                        ///< whether copies inside a node take its links
  std::vector<Point> points;
};

struct MeasuredMemory {
  std::string op;             ///< copy, add, triad, dot, ...
  std::string path;           ///< device-memory, peer, host-to-device
  std::optional<Bytes> size;  ///< empty: large
  BytesPerSecond bandwidth;
};

struct MeasuredAttention {
  std::string kernel;
  std::string pass;  ///< forward, backward
  std::string dtype;
  std::int64_t batch = 1;
  std::int64_t sequence = 0;
  std::int64_t head_width = 0;
  std::optional<std::int64_t> value_width;  ///< where it differs from that of queries and keys
  std::optional<std::int64_t> heads;
  std::optional<bool> causal;
  std::optional<std::int64_t> window;  ///< tokens back under a causal mask
  FlopsPerSecond rate;
};

struct MeasuredExperts {
  std::int64_t experts, per_token, ffn, shared, dense_layers;
  std::optional<std::int64_t> every, groups, limited_groups;
};

struct MeasuredLatentAttention {
  std::int64_t query_rank, key_value_rank, plain_width, rotary_width, value_width;
};

/// Transformer of a training step; empty means "not published".
struct MeasuredModel {
  std::string name;
  std::optional<std::int64_t> layers, hidden, heads, kv_heads, head_width, ffn, vocabulary, sequence;
  std::optional<bool> gated_mlp, tied_embeddings;
  std::optional<double> parameters;
  bool causal = true;
  std::optional<std::int64_t> sliding_window, sliding_window_every;
  std::optional<MeasuredLatentAttention> latent;
  std::optional<MeasuredExperts> experts;
  std::string trainable;  ///< all, lora
  std::optional<std::int64_t> lora_rank;
};

struct MeasuredJob {
  std::string task, framework;
  CalendarDate release;  ///< of the software
  std::optional<std::int64_t> global_batch, micro_batch;
  std::optional<std::int64_t> tensor, pipeline, virtual_pipeline, context, expert, expert_tensor, data;
  std::optional<bool> sequence_parallel;
  std::string sharding;
  std::optional<std::int64_t> shard_group;
  std::optional<std::string> recompute, precision, schedule, routing;
  std::optional<bool> offload, pure_low_precision, packed_sequences, async_tensor, compiled;
  /// Tensors that `offload` means: activations, optimizer, weights-and-optimizer, all.
  std::optional<std::string> offload_what;
  std::optional<std::string> expert_dispatcher;  ///< alltoall, allgather, deepep, hybridep
  std::optional<bool> expert_overlap;            ///< exchange of experts behind another micro-batch
  std::optional<std::string> cuda_graph;         ///< none, attention, moe, full
  /// Recomputation in the words of the recipe: "full", "minimal", "modules: ...". Finer than `recompute`.
  std::optional<std::string> remat_policy;
  std::optional<bool> tensor_overlap;
  std::optional<double> capacity_factor;
  std::optional<std::string> attention;  ///< kernels, by the names of parameter files
  std::optional<bool> master_weights;    ///< absent: as the framework does
};

struct MeasuredStep {
  MeasuredModel model;
  MeasuredJob job;
  std::optional<double> tokens_per_second_per_accelerator;
  std::optional<Seconds> step_time;
  std::optional<Bytes> peak_memory;
  std::optional<std::string> peak_of;  ///< "allocator": without the context; absent: as the framework reports it
};

/// Device memory of one rank in training; the layout is in the case's step.
struct MeasuredFootprint {
  std::string item;       ///< weights-gradients-optimizer, activations, total
  bool relative = false;  ///< ratio to tensor parallelism without sequence parallelism and recomputation
  double value = 0;       ///< GB, or a ratio
};

/// Mean power of a node over a run, start-up and evaluation included.
struct MeasuredPower {
  std::string workload;                    ///< pretrain, lora-finetune, other
  std::optional<std::string> measured_at;  ///< side of the power supplies: ac, dc
  std::string cooling;                     ///< air, water, immersion
  Watts node_mean;
  std::optional<MeasuredModel> model;
};

/// Kinds of cases that the models can predict.
enum class MeasurementKind {
  gemm,
  collective,
  memory_bandwidth,
  attention,
  training_step,
  memory_footprint,
  power,
  other  ///< any other word
};

/// Kind by its word in the measurement set.
MeasurementKind measurement_kind(std::string_view word);

/// One case. The block of its kind is present; kinds without a block have only the common fields.
struct Measurement {
  Measurement();
  Measurement(const Measurement&);
  Measurement(Measurement&&) noexcept;
  Measurement& operator=(const Measurement&);
  Measurement& operator=(Measurement&&) noexcept;
  ~Measurement();

  std::string id, family, kind, source, score_field;
  bool scored = true;
  std::string cell;                  ///< name shared by rows that repeat one measured quantity; empty: none does
  std::vector<std::string> unknown;  ///< paths of fields that the source does not publish
  MeasuredHardware hardware;
  std::optional<MeasuredGemm> gemm;
  std::optional<MeasuredCollective> collective;
  std::optional<MeasuredMemory> memory;
  std::optional<MeasuredAttention> attention;
  std::optional<MeasuredStep> step;  ///< also present for a footprint
  std::optional<MeasuredFootprint> footprint;
  std::optional<MeasuredPower> power;
};

/// Reads one case. @throws ConfigError if it lacks a key that its kind needs, or a value has the wrong type
Measurement read_measurement(const JsonValue& value);

/// Files of the set in `folder`, by name. @param prefix  of their names
std::vector<std::filesystem::path> measurement_files(const std::filesystem::path& folder, std::string_view prefix);

/// Reads one file of cases. @throws ConfigError if it is missing, no JSON, or lacks a key that its kind needs
std::vector<Measurement> read_measurements(const std::filesystem::path& file);

/// Reads the files that parameters are fitted to, in a fixed order: gemm, collectives, memory-bandwidth, attention.
std::vector<Measurement> read_microbenchmarks(const std::filesystem::path& folder);

/// Reads the files of training steps: those named training-*, by name.
std::vector<Measurement> read_training_steps(const std::filesystem::path& folder);

}  // namespace clusterwright
