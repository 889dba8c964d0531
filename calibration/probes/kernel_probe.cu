// The kernels between the multiplies, at the sizes of real layers.

#include <algorithm>

#include "fill.hpp"
#include "layer_kernels.hpp"
#include "measure.hpp"
#include "probes.hpp"
#include "rotating_buffers.hpp"

namespace clusterwright::probes {
namespace {

const char* const probe_name = "kernels";
constexpr double burst_ms = 20;

/// Operands that rotate beyond L2; every operand of a set holds random bf16 numbers.
class Operands {
 public:
  Operands(Context& context, const std::vector<std::size_t>& sizes_bytes)
      : memory_(capacity(context, sizes_bytes)), rotation_(memory_.data(), memory_.bytes(), sizes_bytes, context.device.l2_bytes) {
    fill(memory_.data(), DataType::bf16, memory_.bytes() / 2, Contents::random, context.options.seed, context.stream);
  }
  Bf16* bf16(std::size_t operand, int index) const { return static_cast<Bf16*>(rotation_.at(operand, index)); }
  float* fp32(std::size_t operand, int index) const { return static_cast<float*>(rotation_.at(operand, index)); }

 private:
  static std::size_t capacity(const Context& context, const std::vector<std::size_t>& sizes_bytes) {
    std::size_t one = 0;
    for (const std::size_t size : sizes_bytes) one += size + 256;
    return std::max(2 * one, one + 5 * context.device.l2_bytes) / 4096 * 4096;
  }
  DeviceArray<char> memory_;
  RotatingBuffers rotation_;
};

Work kernel_work(const char* kernel, int tokens, int width, double bytes) {
  Work work;
  work.probe = probe_name;
  work.what.put("kernel", kernel).put("dtype", "bf16").put("tokens", tokens).put("width", width);
  work.bytes = bytes;
  return work;
}

void measure_norm(Context& context, int tokens, int width) {
  const std::size_t rows = std::size_t{2} * tokens * width, row = std::size_t{4} * width, column = std::size_t{4} * tokens;
  const Operands o(context, {rows, rows, rows, row, column, row});   // x, dy, out, weight, 1 / rms, weight gradient
  Work forward = kernel_work("rms_norm", tokens, width, 2.0 * static_cast<double>(rows));
  forward.launch = [&](cudaStream_t s, int i) { enqueue_rms_norm(o.bf16(0, i), o.bf16(3, i), o.bf16(2, i), o.fp32(4, i), tokens, width, s); };
  Work backward = kernel_work("rms_norm_backward", tokens, width, 3.0 * static_cast<double>(rows));
  backward.launch = [&](cudaStream_t s, int i) {
    enqueue_rms_norm_backward(o.bf16(0, i), o.bf16(3, i), o.fp32(4, i), o.bf16(1, i), o.bf16(2, i), o.fp32(5, i), tokens, width, s);
  };
  for (const Work& work : {forward, backward}) measure_burst(context, work, burst_ms);
}

void measure_swiglu(Context& context, int tokens, int width) {
  const std::size_t rows = std::size_t{2} * tokens * width;
  const Operands o(context, {2 * rows, rows, 2 * rows});
  const auto size = static_cast<double>(rows);
  Work forward = kernel_work("swiglu", tokens, width, 3 * size);
  forward.launch = [&](cudaStream_t s, int i) { enqueue_swiglu(o.bf16(0, i), o.bf16(1, i), tokens, width, s); };
  Work backward = kernel_work("swiglu_backward", tokens, width, 5 * size);
  backward.launch = [&](cudaStream_t s, int i) { enqueue_swiglu_backward(o.bf16(0, i), o.bf16(1, i), o.bf16(2, i), tokens, width, s); };
  Work gelu = kernel_work("gelu", tokens, width, 2 * size);
  gelu.launch = [&](cudaStream_t s, int i) { enqueue_gelu(o.bf16(0, i), o.bf16(1, i), std::int64_t{tokens} * width, s); };
  Work add = kernel_work("residual_add", tokens, width, 3 * size);
  add.launch = [&](cudaStream_t s, int i) { enqueue_add(o.bf16(0, i), o.bf16(1, i), o.bf16(2, i), std::int64_t{tokens} * width, s); };
  for (const Work& work : {forward, backward, gelu, add}) measure_burst(context, work, burst_ms);
}

void measure_rotary(Context& context, int tokens, int heads) {
  constexpr int head_dim = 128;
  const int width = heads * head_dim;
  const std::size_t rows = std::size_t{2} * tokens * width;
  const Operands o(context, {rows});
  Work work = kernel_work("rotary", tokens, width, 2.0 * static_cast<double>(rows));
  work.what.put("heads", heads).put("head_dim", head_dim);
  work.launch = [&](cudaStream_t s, int i) { enqueue_rotary(o.bf16(0, i), tokens, 2048, heads, head_dim, width, 1, s); };
  measure_burst(context, work, burst_ms);
}

void measure_cross_entropy(Context& context, int tokens, int vocabulary) {
  const std::size_t logits = std::size_t{2} * tokens * vocabulary;
  const Operands o(context, {logits, std::size_t{4} * tokens});
  std::vector<int> host_targets;
  for (int t = 0; t < tokens; ++t) host_targets.push_back(static_cast<int>(std::int64_t{t} * 7919 % vocabulary));
  const DeviceArray<int> targets(host_targets);
  // The second read comes from L2 where a row's working set fits; the count is of device memory: one read, one write.
  Work work = kernel_work("softmax_cross_entropy_with_gradient", tokens, vocabulary, 2.0 * static_cast<double>(logits));
  work.launch = [&](cudaStream_t s, int i) { enqueue_cross_entropy(o.bf16(0, i), targets.data(), o.fp32(1, i), tokens, vocabulary, s); };
  measure_burst(context, work, burst_ms);
}

void measure_adam(Context& context, std::int64_t parameters) {
  const auto count = static_cast<std::size_t>(parameters);
  DeviceArray<float> weight(count);
  const DeviceArray<float> m(count), v(count);
  const DeviceArray<Bf16> copy(count), gradient = random_bf16(count, context.options.seed, context.stream);
  fill(weight.data(), DataType::fp32, count, Contents::random, 5, context.stream);
  for (const auto* moment : {&m, &v}) CHECK_CUDA(cudaMemsetAsync(moment->data(), 0, moment->bytes(), context.stream));
  Work work;
  work.probe = probe_name;
  work.what.put("kernel", "adam").put("dtype", "fp32 state, bf16 gradient").put("parameters", parameters);
  work.bytes = static_cast<double>(parameters) * adam_bytes_per_parameter;
  work.launch = [&](cudaStream_t s, int i) {
    enqueue_adam({weight.data(), m.data(), v.data(), gradient.data(), copy.data()}, parameters, i + 1, s);
  };
  measure_burst(context, work, burst_ms);
}

void add_token_tasks(Context& context, std::vector<Task>& tasks, int tokens) {
  const std::string at = " at " + std::to_string(tokens) + " tokens";
  for (const int width : {2048, 4096, 8192, 16384}) {
    tasks.push_back({"rms_norm " + std::to_string(width) + at, [&context, tokens, width] { measure_norm(context, tokens, width); }});
  }
  for (const int width : {8192, 14336, 28672}) {
    tasks.push_back({"swiglu " + std::to_string(width) + at, [&context, tokens, width] { measure_swiglu(context, tokens, width); }});
  }
  for (const int heads : {40, 72}) {
    tasks.push_back({"rotary " + std::to_string(heads) + " heads" + at, [&context, tokens, heads] { measure_rotary(context, tokens, heads); }});
  }
  for (const int vocabulary : {32000, 50304, 128256}) {
    tasks.push_back({"cross entropy " + std::to_string(vocabulary) + at,
                     [&context, tokens, vocabulary] { measure_cross_entropy(context, tokens, vocabulary); }});
  }
}

}  // namespace

void probe_kernels(Context& context) {
  check_layer_kernels(context.stream);
  std::vector<Task> tasks;
  for (const int tokens : context.options.full ? std::vector<int>{8192, 2048, 512, 32768} : std::vector<int>{4096}) add_token_tasks(context, tasks, tokens);
  for (int log2_count = 20; log2_count <= (context.options.full ? 30 : 28); log2_count += 2) {
    const std::int64_t parameters = std::int64_t{1} << log2_count;
    tasks.push_back({"adam " + std::to_string(parameters), [&context, parameters] { measure_adam(context, parameters); }});
  }
  run_tasks(context, probe_name, tasks);
}

}  // namespace clusterwright::probes
