// SPDX-License-Identifier: Apache-2.0
// A whole training step of a small model, eager and as a CUDA graph: to be predicted from the other probes' samples.

#include "cuda_graph.hpp"
#include "layer_check.hpp"
#include "measure.hpp"
#include "probes.hpp"
#include "transformer_model.hpp"

namespace clusterwright::probes {
namespace {

const char* const probe_name = "model";
constexpr double burst_ms = 400, sustained_s = 4;
constexpr AdamStep slow_step{1000, 1e-5f};  // what is timed stays near its random start

Work model_work(const ModelShape& shape, double parameters, bool graph) {
  const LayerShape& s = shape.layer;
  Work work;
  work.probe = probe_name;
  work.what.put("pass", "step").put("model", shape.name).put("layers", shape.layers).put("hidden", s.hidden);
  work.what.put("ffn", s.ffn).put("heads", s.heads).put("kv_heads", s.kv_heads).put("head_width", s.head_dim);
  work.what.put("vocabulary", shape.vocabulary).put("batch", s.batch).put("sequence", s.sequence);
  work.what.put("gated", s.gated).put("causal", true).put("dtype", "bf16").put("attention", "own_wmma");
  work.what.put("tensor_split", 1).put("communication", false).put("graph", graph);
  work.what.put("parameters", parameters);
  return work;
}

void measure_graph(Context& context, const TransformerModel& model, const ModelShape& shape) {
  const CudaGraph graph(context.stream, [&] { model.step(slow_step, context.stream); });
  Work work = model_work(shape, model.parameters(), true);
  work.flops = model.flops();
  work.launch = [&](cudaStream_t stream, int) { graph.launch(stream); };
  measure_burst(context, work, burst_ms);
  measure_sustained(context, work, sustained_s, true);
}

void measure_model(Context& context, const LtHandle& handle, const ModelShape& shape) {
  check_attention(shape.layer.head_dim, context.stream);
  const TransformerModel model(handle, shape, context.options.seed, context.stream);
  Work eager = model_work(shape, model.parameters(), false);
  eager.flops = model.flops();
  eager.operations = model.operations();
  eager.launch = [&](cudaStream_t stream, int) { model.step(slow_step, stream); };
  measure_burst(context, eager, burst_ms);
  if (!std::isfinite(model.loss())) throw SampleFailed("the loss is no number after the timed steps");
  run_task(context, probe_name, {eager.what.text() + " as a graph", [&] { measure_graph(context, model, shape); }});
}

ModelShape model_shape(std::size_t widths, int layers, int batch, int sequence) {
  const TransformerWidths& model = transformer_widths()[widths];
  return {model.name, layers, model.vocabulary, layer_shape(model, 1, batch, sequence)};
}

}  // namespace

void probe_model(Context& context) {
  const LtHandle handle;
  check_layer_kernels(context.stream);
  check_transformer_layer(handle, context.stream);
  check_transformer_model(handle, context.stream);
  std::vector<ModelShape> shapes = {model_shape(2, 4, 2, 2048)};
  if (context.options.full) shapes.push_back(model_shape(0, 4, 1, 4096));
  std::vector<Task> tasks;
  for (const ModelShape& shape : shapes) {
    const std::string what = std::string(shape.name) + ", " + std::to_string(shape.layers) + " layers";
    tasks.push_back({what, [&context, &handle, shape] { measure_model(context, handle, shape); }});
  }
  run_tasks(context, probe_name, tasks);
}

}  // namespace clusterwright::probes
