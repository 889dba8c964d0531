#include "models/memory_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/pipeline_schedule.hpp"

namespace clusterwright {

namespace {

constexpr double bytes_16bit = 2;
constexpr double bytes_32bit = 4;

double tokens(const MemoryCase& c) {
  return static_cast<double>(c.sequence) * c.plan.micro_batch;
}

/// Norm, residual and dropout tensors are split over the tensor group only with sequence parallelism.
double residual_split(const MemoryCase& c) {
  return c.plan.sequence_parallel ? c.plan.tensor : 1;
}

/// Bytes per token outside attention scores, each term over the ranks that split it.
double stored_per_token(const MemoryCase& c) {
  const Transformer& m = c.model;
  const double t = c.plan.tensor;
  const double hidden = static_cast<double>(m.hidden);
  const double ffn = static_cast<double>(m.ffn);
  const double qkv = static_cast<double>(m.query_width() + 2 * m.key_value_width());
  const double norm_outputs = c.stack.lean_activations ? 0 : 2;
  double residual = hidden * bytes_16bit * (2 + norm_outputs);  // inputs (and outputs) of the two norms
  if (m.biases) residual += 2 * hidden;                         // two dropout masks, one byte each
  const double attention = bytes_16bit * (qkv + static_cast<double>(m.query_width()));
  const double up = ffn * (m.gated_mlp ? 2 : 1);
  const double product = c.stack.lean_activations ? 0 : ffn;
  return residual / residual_split(c) + (attention + bytes_16bit * (up + product)) / t;
}

/// Softmax output, its dropout mask and result: five bytes per score, where kernels do not keep scores on chip.
double score_bytes(const MemoryCase& c) {
  if (c.stack.attention != "unfused" || c.plan.recompute != Recompute::none) return 0;
  return 5 * static_cast<double>(c.model.heads) * c.sequence / c.plan.tensor;
}

Bytes activation_peak(const MemoryCase& c, int stage) {
  const Bytes layer = layer_activations(c);
  Bytes held, peak;
  for (const PipelineSlot& slot :
       pipeline_schedule(stage, c.plan.pipeline, c.plan.virtual_pipeline, c.plan.micro_batches)) {
    const Bytes chunk = layer * c.layout.at(stage, slot.chunk).layers;
    held += slot.forward ? chunk : -chunk;
    peak = std::max(peak, held);
  }
  return peak;
}

/// With full recomputation one layer's activations are alive on top of the stored inputs.
Bytes recompute_working_set(const MemoryCase& c) {
  if (c.plan.recompute != Recompute::full) return Bytes{};
  Plan stored = c.plan;
  stored.recompute = Recompute::none;
  return layer_activations({c.model, stored, c.layout, c.stack, c.sequence});
}

bool holds_head(const MemoryCase& c, int stage) {
  return stage == c.plan.pipeline - 1;
}

}  // namespace

double local_parameters(const MemoryCase& c, int stage) {
  double count = c.layout.layers_on(stage) * layer_parameters(c.model);
  if (stage == 0) count += embedding_parameters(c.model);
  if (holds_head(c, stage)) {
    count += head_parameters(c.model);
    // A tied head keeps a copy of the table when it is not on the stage of the embedding.
    if (c.model.tied_embeddings && c.plan.pipeline > 1)
      count += static_cast<double>(c.model.vocabulary * c.model.hidden);
  }
  return count / c.plan.tensor;
}

Bytes layer_activations(const MemoryCase& c) {
  if (c.plan.recompute == Recompute::full)
    return tokens(c) * static_cast<double>(c.model.hidden) * bytes_16bit / residual_split(c) * byte;
  return tokens(c) * (stored_per_token(c) + score_bytes(c)) * byte;
}

MemoryUse memory_of_stage(const MemoryCase& c, int stage) {
  const double local = local_parameters(c, stage);
  const double data = c.plan.data;
  const double gathered = tokens(c) * static_cast<double>(c.model.hidden) * bytes_16bit;
  // Accumulating over micro-batches of a pipeline needs whole gradients, also where the result is sharded.
  const bool sharded_gradients = c.plan.sharding == Sharding::zero2 && c.plan.pipeline == 1;
  MemoryUse use;
  use.stage = stage;
  use.weights = local * bytes_16bit * byte;
  use.gradients = local * c.stack.gradient_size.value / (sharded_gradients ? data : 1) * byte;
  use.optimizer = local * 3 * bytes_32bit / (c.plan.sharding == Sharding::none ? 1 : data) * byte;
  use.activations = activation_peak(c, stage) + recompute_working_set(c);
  if (holds_head(c, stage))
    use.logits =
        tokens(c) * static_cast<double>(c.model.vocabulary) / c.plan.tensor * (bytes_16bit + bytes_32bit) * byte;
  // Data-parallel buckets are slices of the gradient buffer; the tensor group gathers into buffers of its own.
  use.buffers = (c.plan.tensor > 1 ? 2 * gathered : 0) * byte;
  use.reserved = c.stack.reserved_memory.value;
  return use;
}

MemoryUse worst_memory(const MemoryCase& c) {
  MemoryUse worst = memory_of_stage(c, 0);
  for (int stage = 1; stage < c.plan.pipeline; ++stage) {
    const MemoryUse use = memory_of_stage(c, stage);
    if (use.total() > worst.total()) worst = use;
  }
  return worst;
}

MemoryVerdict judge_memory(const MemoryUse& use, Bytes capacity, int stages) {
  const bool fits = use.total() <= capacity;
  using Kind = std::pair<const char*, Bytes>;
  const std::array<Kind, 6> kinds = {{{"activations", use.activations},
                                      {"gradients", use.gradients},
                                      {"optimizer state", use.optimizer},
                                      {"weights", use.weights},
                                      {"logits", use.logits},
                                      {"communication buffers", use.buffers}}};
  const Kind largest =
      *std::max_element(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) { return a.second < b.second; });
  const std::string who = stages > 1 ? fmt::format("each rank of pipeline stage {}", use.stage) : "each rank";
  return {fits, fmt::format("{}: {} {} {:.1f} of {:.1f} GB, most of it {} ({:.1f} GB)", fits ? "fits" : "does not fit",
                            who, fits ? "uses" : "needs", use.total().in(gigabyte), capacity.in(gigabyte),
                            largest.first, largest.second.in(gigabyte))};
}

}  // namespace clusterwright
