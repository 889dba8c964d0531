// SPDX-License-Identifier: Apache-2.0
// Attention by sequence, heads and tensor split; the tokens of a step stay about equal while the sequence grows.

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "cudnn_attention.hpp"
#include "measure.hpp"
#include "probes.hpp"

namespace clusterwright::probes {
namespace {

const char* const probe_name = "attention";
using Bf16 = __nv_bfloat16;

struct Heads {
  int count, kv_count, width;
  bool full_only;
};

constexpr Heads all_heads[] = {
    {32, 8, 128, false},  // llama3-8b
    {8, 1, 128, false},   // llama3-70b at tensor split 8
    {16, 16, 64, false},  // small heads
    {64, 8, 128, true},   // llama3-70b
    {96, 96, 128, true},  // gpt3-175b
    {12, 12, 128, true},  // gpt3-175b at tensor split 8
};

struct Buffers {
  DeviceArray<Bf16> q, k, v, out, dout, dq, dk, dv;
  DeviceArray<float> log_sum, row_dot, dq_fp32;

  Buffers(const Context& context, const AttentionShape& s) {
    const std::size_t rows = static_cast<std::size_t>(s.tokens()), q_count = rows * s.q_stride,
                      kv_count = rows * s.kv_stride;
    const std::uint64_t seed = context.options.seed;
    q = random_bf16(q_count, seed, context.stream);
    k = random_bf16(kv_count, seed + 1, context.stream);
    v = random_bf16(kv_count, seed + 2, context.stream);
    dout = random_bf16(q_count, seed + 3, context.stream);
    out = DeviceArray<Bf16>(q_count);
    dq = DeviceArray<Bf16>(q_count);
    dk = DeviceArray<Bf16>(kv_count);
    dv = DeviceArray<Bf16>(kv_count);
    log_sum = DeviceArray<float>(rows * s.heads);
    row_dot = DeviceArray<float>(rows * s.heads);
    dq_fp32 = DeviceArray<float>(q_count);
  }
  AttentionForward forward() const { return {q.data(), k.data(), v.data(), out.data(), log_sum.data()}; }
  AttentionBackward backward() const {
    return {forward(), dout.data(), row_dot.data(), dq_fp32.data(), dq.data(), dk.data(), dv.data()};
  }
};

Work attention_work(const AttentionShape& s, const char* pass, const char* implementation) {
  const double q_bytes = 2.0 * s.tokens() * s.q_stride, kv_bytes = 2.0 * s.tokens() * s.kv_stride;
  Work work;
  work.probe = probe_name;
  work.what.put("pass", pass)
      .put("implementation", implementation)
      .put("dtype", "bf16")
      .put("batch", s.batch)
      .put("sequence", s.sequence);
  work.what.put("heads", s.heads).put("kv_heads", s.kv_heads).put("head_dim", s.head_dim).put("causal", s.causal);
  const bool forward = std::string(pass) == "forward";
  work.flops = forward ? s.forward_flops() : s.backward_flops();
  work.bytes = forward ? 2 * q_bytes + 2 * kv_bytes : 4 * q_bytes + 4 * kv_bytes;
  return work;
}

void measure_own(Context& context, const AttentionShape& s) {
  const Buffers buffers(context, s);
  Work forward = attention_work(s, "forward", "own_wmma");
  forward.launch = [&](cudaStream_t stream, int) { enqueue_attention(s, buffers.forward(), stream); };
  measure_burst(context, forward, 40);  // also leaves the log sums that the backward pass reads
  Work backward = attention_work(s, "backward", "own_wmma");
  backward.operations = 4;
  backward.launch = [&](cudaStream_t stream, int) { enqueue_attention_backward(s, buffers.backward(), stream); };
  measure_burst(context, backward, 60);
}

/// The forward samples are taken before the backward plan is asked for, which may be refused.
void measure_cudnn(Context& context, const CudnnHandle& handle, const AttentionShape& s) {
  const Buffers buffers(context, s);
  {
    const CudnnAttention attention(handle, s, buffers.forward());
    Work forward = attention_work(s, "forward", "cudnn");
    forward.operations = 2;
    forward.launch = [&](cudaStream_t stream, int) { attention.enqueue(stream); };
    measure_burst(context, forward, 40);
  }
  const CudnnAttentionBackward attention(handle, s, buffers.backward());
  Work backward = attention_work(s, "backward", "cudnn");
  backward.operations = 8;  // more than it launches is safe
  backward.launch = [&](cudaStream_t stream, int) { attention.enqueue(stream); };
  measure_burst(context, backward, 60);
}

using Measure = std::function<void(const AttentionShape&)>;
using Correct = std::set<std::pair<int, bool>>;  // head_dim and causal

void add_sequences(Context& context, std::vector<Task>& tasks, const Heads& heads, const Correct& correct,
                   const char* implementation, const Measure& measure) {
  const std::vector<int> sequences = context.options.full ? std::vector<int>{1024, 2048, 4096, 8192, 16384, 32768}
                                                          : std::vector<int>{1024, 4096, 8192};
  for (const int sequence : sequences) {
    for (const bool causal : {true, false}) {
      if ((!causal && sequence > 4096) || correct.count({heads.width, causal}) == 0) continue;
      const AttentionShape shape =
          packed_attention(std::max(1, 8192 / sequence), sequence, heads.count, heads.kv_count, heads.width, causal);
      const std::string what = attention_work(shape, "both", implementation).what.text();
      tasks.push_back({what, [shape, measure] { measure(shape); }});
    }
  }
}

void measure_all(Context& context, const char* implementation, const Correct& correct, const Measure& measure) {
  std::vector<Task> tasks;
  for (const Heads& heads : all_heads) {
    if (!heads.full_only || context.options.full)
      add_sequences(context, tasks, heads, correct, implementation, measure);
  }
  run_tasks(context, probe_name, tasks);
}

void probe_own(Context& context) {
  Correct correct;
  for (const int head_dim : {64, 128}) {
    const std::string what = "check of head_dim " + std::to_string(head_dim);
    if (run_task(context, probe_name, {what, [&] { check_attention(head_dim, context.stream); }}))
      correct.insert({{head_dim, false}, {head_dim, true}});
  }
  measure_all(context, "own_wmma", correct, [&](const AttentionShape& s) { measure_own(context, s); });
}

void probe_cudnn(Context& context) {
  std::unique_ptr<CudnnHandle> handle;
  if (!run_task(context, probe_name, {"cudnn", [&] { handle = std::make_unique<CudnnHandle>(); }})) return;
  Correct correct;
  for (const int head_dim : {64, 128}) {
    for (const bool causal : {true, false}) {
      const std::string what =
          "cudnn check of head_dim " + std::to_string(head_dim) + (causal ? ", causal" : ", no mask");
      const auto check = [&] { check_cudnn_attention(*handle, head_dim, causal, context.stream); };
      if (run_task(context, probe_name, {what, check})) correct.insert({head_dim, causal});
    }
  }
  measure_all(context, "cudnn", correct, [&](const AttentionShape& s) { measure_cudnn(context, *handle, s); });
}

}  // namespace

void probe_attention(Context& context) {
  // A short run still reaches the kernels that frameworks call.
  const double deadline_s = context.probe_deadline_s;
  context.probe_deadline_s = 0.5 * (context.watchdog.elapsed_s() + deadline_s);
  probe_own(context);
  context.probe_deadline_s = deadline_s;
  probe_cudnn(context);  // last: a library that ends the process ends the least
}

}  // namespace clusterwright::probes
