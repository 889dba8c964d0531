// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/attention_rows.hpp"

#include "models/job/transformer.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

namespace {

constexpr double usual_stream_share = 0.88;
constexpr std::int64_t benchmark_hidden = 2048;  // of the benchmarks that come with flash-attention

/// The mask of a measured pass, as that of a model whose layers all have it.
void set_mask(const MeasuredAttention& kernel, AttentionShape& shape) {
  shape.share = 1;
  if (!kernel.causal.value_or(false)) return;
  Transformer masked;
  masked.sliding_window = kernel.window;
  const auto length = static_cast<double>(kernel.sequence);
  shape.share = masked.score_share(length);
  shape.edges = masked.mask_edges(length);
}

}  // namespace

AttentionDevice fitted_attention_device(const AcceleratorPart& part) {
  return attention_device(part, part.memory_bandwidth.value * usual_stream_share);
}

std::string attention_family(const std::string& kernel) {
  if (kernel == "flash-attention-2") return "flash-2";
  if (kernel == "flash-attention-3" || kernel.starts_with("cudnn")) return "cudnn";
  return kernel == "unfused" ? "unfused" : "";
}

AttentionRow attention_row(const Measurement& measurement, const AcceleratorPart& part) {
  const MeasuredAttention& kernel = *measurement.attention;
  AttentionShape shape;
  shape.sequences = static_cast<double>(kernel.batch);
  shape.queries = shape.keys = static_cast<double>(kernel.sequence);
  set_mask(kernel, shape);
  shape.heads = static_cast<double>(kernel.heads.value_or(benchmark_hidden / kernel.head_width));
  shape.forward = kernel.pass == "forward";
  shape.key_width = static_cast<double>(kernel.head_width);
  shape.value_width = static_cast<double>(kernel.value_width.value_or(kernel.head_width));
  AttentionDevice device = fitted_attention_device(part);
  const auto own = measurement.hardware.peak_dense.find("bf16");
  if (own != measurement.hardware.peak_dense.end()) device.peak = own->second;
  const Flops counted = shape.sequences * shape.heads * shape.queries * shape.keys * shape.share *
                        mean_head_width(shape) * (shape.forward ? 4.0 : 10.0) * flop;
  return {shape, device, counted / kernel.rate};
}

std::vector<AttentionRow> attention_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                                         const std::string& family) {
  std::vector<AttentionRow> out;
  for (const Measurement& measurement : measurements) {
    if (!measurement.attention || measurement.hardware.accelerator != part.id) continue;
    const MeasuredAttention& row = *measurement.attention;
    const bool known_width = row.head_width == 64 || row.head_width == 128 || row.head_width == 192;
    const bool known_pass = row.pass == "forward" || row.pass == "backward";
    // Passes in fp16 are of cuDNN 9.1 alone, older than what "cudnn" stands for: predicted, not fitted to (decision
    // 30).
    if (attention_family(row.kernel) == family && row.dtype == "bf16" && known_width && known_pass)
      out.push_back(attention_row(measurement, part));
  }
  return out;
}

}  // namespace clusterwright
