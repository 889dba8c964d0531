// SPDX-License-Identifier: Apache-2.0
// The closed loop: a whole layer, to be predicted from the other probes' samples and compared.

#include "layer_check.hpp"
#include "measure.hpp"
#include "probes.hpp"
#include "transformer_layer.hpp"

namespace clusterwright::probes {
namespace {

const char* const probe_name = "layer";
constexpr double sustained_s = 4;

Work layer_work(const TransformerWidths& model, const LayerShape& s, int split, const char* pass) {
  Work work;
  work.probe = probe_name;
  work.what.put("pass", pass).put("model", model.name).put("tensor_split", split).put("communication", false);
  work.what.put("dtype", "bf16").put("batch", s.batch).put("sequence", s.sequence).put("hidden", s.hidden);
  work.what.put("ffn", s.ffn).put("heads", s.heads).put("kv_heads", s.kv_heads).put("head_dim", s.head_dim);
  work.what.put("gated", s.gated).put("causal", true).put("attention", "own_wmma").put("bytes_counted", false);
  return work;
}

void measure_layer(Context& context, const LtHandle& handle, const TransformerWidths& model, const LayerShape& shape,
                   int split) {
  check_attention(shape.head_dim, context.stream);
  const std::uint64_t seed = context.options.seed;
  ParameterArena arena(shape.parameter_counts(), context.stream);
  const TransformerLayer layer(handle, shape, arena, seed, context.stream);
  const std::size_t count = static_cast<std::size_t>(shape.tokens()) * static_cast<std::size_t>(shape.hidden);
  const auto x = random_bf16(count, seed + 6, context.stream), dy = random_bf16(count, seed + 7, context.stream);
  Work forward = layer_work(model, shape, split, "forward");
  forward.flops = layer.forward_flops();
  forward.operations = TransformerLayer::forward_operations;
  forward.launch = [&](cudaStream_t stream, int) { layer.forward(x.data(), stream); };
  Work both = layer_work(model, shape, split, "both");
  both.flops = layer.forward_flops() + layer.backward_flops();
  both.operations = TransformerLayer::forward_operations + TransformerLayer::backward_operations;
  both.launch = [&](cudaStream_t stream, int) {
    layer.forward(x.data(), stream);
    layer.backward(x.data(), dy.data(), stream);
  };
  measure_burst(context, forward, 60);
  measure_burst(context, both, 150);
  if (split == 1) measure_sustained(context, both, sustained_s, true);
}

}  // namespace

void probe_layer(Context& context) {
  const LtHandle handle;
  check_layer_kernels(context.stream);
  check_transformer_layer(handle, context.stream);
  std::vector<Task> tasks;
  const auto add = [&](std::size_t index, int split, int batch, int sequence) {
    const TransformerWidths& model = transformer_widths()[index];
    const LayerShape shape = layer_shape(model, split, batch, sequence);
    const std::string what = layer_work(model, shape, split, "both").what.text();
    tasks.push_back(
        {what, [&context, &handle, &model, shape, split] { measure_layer(context, handle, model, shape, split); }});
  };
  for (const std::size_t index :
       context.options.full ? std::vector<std::size_t>{0, 1, 2, 3, 5, 7} : std::vector<std::size_t>{0, 2, 1}) {
    add(index, 1, 1, 4096);
    add(index, 8, 1, 4096);
    if (!context.options.full) continue;
    add(index, 1, 4, 2048);
    add(index, 1, 1, 8192);
    add(index, 2, 1, 4096);
    add(index, 4, 1, 4096);
  }
  run_tasks(context, probe_name, tasks);
}

}  // namespace clusterwright::probes
