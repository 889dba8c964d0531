// SPDX-License-Identifier: Apache-2.0
// The kernels between the multiplies, at the sizes of real layers.

#include <algorithm>
#include <set>

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
      : memory_(capacity(context, sizes_bytes)),
        rotation_(memory_.data(), memory_.bytes(), sizes_bytes, context.device.l2_bytes) {
    fill(memory_.data(), DataType::bf16, memory_.bytes() / 2, Contents::random, context.options.seed, context.stream);
  }
  Bf16* bf16(std::size_t operand, int index) const { return static_cast<Bf16*>(rotation_.at(operand, index)); }
  float* fp32(std::size_t operand, int index) const { return static_cast<float*>(rotation_.at(operand, index)); }
  int sets() const { return static_cast<int>(rotation_.sets()); }

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
  const std::size_t rows = std::size_t{2} * tokens * width, row = std::size_t{4} * width,
                    column = std::size_t{4} * tokens;
  const Operands o(context, {rows, rows, rows, row, column, row});  // x, dy, out, weight, 1 / rms, weight gradient
  Work forward = kernel_work("rms_norm", tokens, width, 2.0 * static_cast<double>(rows));
  forward.launch = [&](cudaStream_t s, int i) {
    enqueue_rms_norm(o.bf16(0, i), o.bf16(3, i), o.bf16(2, i), o.fp32(4, i), tokens, width, s);
  };
  Work backward = kernel_work("rms_norm_backward", tokens, width, 3.0 * static_cast<double>(rows));
  backward.launch = [&](cudaStream_t s, int i) {
    enqueue_rms_norm_backward(o.bf16(0, i), o.bf16(3, i), o.fp32(4, i), o.bf16(1, i), o.bf16(2, i), o.fp32(5, i),
                              tokens, width, s);
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
  backward.launch = [&](cudaStream_t s, int i) {
    enqueue_swiglu_backward(o.bf16(0, i), o.bf16(1, i), o.bf16(2, i), tokens, width, s);
  };
  Work gelu = kernel_work("gelu", tokens, width, 2 * size);
  gelu.launch = [&](cudaStream_t s, int i) {
    enqueue_gelu(o.bf16(0, i), o.bf16(1, i), std::int64_t{tokens} * width, s);
  };
  Work add = kernel_work("residual_add", tokens, width, 3 * size);
  add.launch = [&](cudaStream_t s, int i) {
    enqueue_add(o.bf16(0, i), o.bf16(1, i), o.bf16(2, i), std::int64_t{tokens} * width, s);
  };
  for (const Work& work : {forward, backward, gelu, add}) measure_burst(context, work, burst_ms);
}

void measure_rotary(Context& context, int tokens, int heads) {
  constexpr int head_dim = 128;
  const int width = heads * head_dim;
  const std::size_t rows = std::size_t{2} * tokens * width;
  const Operands o(context, {rows});
  Work work = kernel_work("rotary", tokens, width, 2.0 * static_cast<double>(rows));
  work.what.put("heads", heads).put("head_dim", head_dim);
  work.launch = [&](cudaStream_t s, int i) {
    enqueue_rotary(o.bf16(0, i), tokens, 2048, heads, head_dim, width, 1, s);
  };
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
  work.launch = [&](cudaStream_t s, int i) {
    enqueue_cross_entropy(o.bf16(0, i), targets.data(), o.fp32(1, i), tokens, vocabulary, s);
  };
  measure_burst(context, work, burst_ms);
}

void measure_adam(Context& context, std::int64_t parameters) {
  const auto count = static_cast<std::size_t>(parameters);
  const Operands o(context, {4 * count, 4 * count, 4 * count, 2 * count, 2 * count});  // weight, m, v, gradient, copy
  for (int set = 0; set < o.sets(); ++set) {
    fill(o.fp32(0, set), DataType::fp32, count, Contents::random, 5, context.stream);
    for (const std::size_t moment : {1, 2})
      CHECK_CUDA(cudaMemsetAsync(o.fp32(moment, set), 0, 4 * count, context.stream));
  }
  Work work;
  work.probe = probe_name;
  work.what.put("kernel", "adam").put("dtype", "fp32 state, bf16 gradient").put("parameters", parameters);
  work.bytes = static_cast<double>(parameters) * adam_bytes_per_parameter;
  work.launch = [&](cudaStream_t s, int i) {
    enqueue_adam({o.fp32(0, i), o.fp32(1, i), o.fp32(2, i), o.bf16(3, i), o.bf16(4, i)}, parameters, {}, s);
  };
  measure_burst(context, work, burst_ms);
}

void measure_embedding(Context& context, int tokens, int width) {
  constexpr int vocabulary = 32000;
  const std::size_t table = std::size_t{2} * vocabulary * width, rows = std::size_t{2} * tokens * width;
  const Operands o(context, {table, rows});
  std::vector<int> host_ids;
  for (int t = 0; t < tokens; ++t) host_ids.push_back(static_cast<int>(std::int64_t{t} * 7919 % vocabulary));
  const DeviceArray<int> ids(host_ids);
  Work forward = kernel_work("embedding", tokens, width, 2.0 * static_cast<double>(rows));
  forward.launch = [&](cudaStream_t s, int i) {
    enqueue_embedding(o.bf16(0, i), ids.data(), o.bf16(1, i), tokens, width, s);
  };
  Work backward = kernel_work("embedding_backward", tokens, width, 3.0 * static_cast<double>(rows));
  backward.launch = [&](cudaStream_t s, int i) {
    enqueue_embedding_backward(o.bf16(1, i), ids.data(), o.bf16(0, i), tokens, width, s);
  };
  for (const Work& work : {forward, backward}) measure_burst(context, work, burst_ms);
}

/// Sizes of one family of kernels; `check` is its name in layer_kernels.hpp.
struct Sweep {
  const char *check, *what;
  void (*measure)(Context& context, int tokens, int size);
  std::vector<int> sizes;
};

const std::vector<Sweep>& sweeps() {
  static const std::vector<Sweep> all = {
      {"norm", "rms_norm width", measure_norm, {2048, 4096, 8192, 16384}},
      {"pointwise", "swiglu width", measure_swiglu, {8192, 14336, 28672}},
      {"rotary", "rotary heads", measure_rotary, {40, 72}},
      {"cross entropy", "cross entropy vocabulary", measure_cross_entropy, {32000, 50304, 128256}},
      {"embedding", "embedding width", measure_embedding, {4096, 8192}},
  };
  return all;
}

void add_token_tasks(Context& context, std::vector<Task>& tasks, const std::set<std::string>& correct, int tokens) {
  for (const Sweep& sweep : sweeps()) {
    if (correct.count(sweep.check) == 0) continue;
    for (const int size : sweep.sizes) {
      const std::string what =
          std::string(sweep.what) + " " + std::to_string(size) + " at " + std::to_string(tokens) + " tokens";
      tasks.push_back({what, [&context, &sweep, tokens, size] { sweep.measure(context, tokens, size); }});
    }
  }
}

/// The families whose results agree with the host's; of the others an entry says why they are not measured.
std::set<std::string> correct_families(Context& context) {
  std::set<std::string> correct;
  for (const KernelCheck& check : layer_kernel_checks()) {
    const std::string what = std::string("check of ") + check.family;
    if (run_task(context, probe_name, {what, [&] { check.run(context.stream); }})) correct.insert(check.family);
  }
  return correct;
}

}  // namespace

void probe_kernels(Context& context) {
  const bool full = context.options.full;
  const std::set<std::string> correct = correct_families(context);
  std::vector<Task> tasks;
  for (const int tokens : full ? std::vector<int>{8192, 2048, 512, 32768} : std::vector<int>{4096}) {
    add_token_tasks(context, tasks, correct, tokens);
  }
  for (int log2_count = 20; log2_count <= (full ? 30 : 28) && correct.count("adam") > 0; log2_count += 2) {
    const std::int64_t parameters = std::int64_t{1} << log2_count;
    tasks.push_back(
        {"adam " + std::to_string(parameters), [&context, parameters] { measure_adam(context, parameters); }});
  }
  run_tasks(context, probe_name, tasks);
}

}  // namespace clusterwright::probes
