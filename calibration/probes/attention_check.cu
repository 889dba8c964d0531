// SPDX-License-Identifier: Apache-2.0
// The attention kernels against double precision on the host, at a size that takes a moment.

#include "attention.hpp"
#include "attention_reference.hpp"
#include "cudnn_attention.hpp"

namespace clusterwright::probes {
namespace {

/// `width` columns of every row, from column `first` on: a small gradient must not hide beside a large one.
Numbers columns(const Numbers& rows, int stride, int first, int width) {
  Numbers out;
  for (std::size_t row = 0; row < rows.size(); row += static_cast<std::size_t>(stride)) {
    for (int c = first; c < first + width; ++c) out.push_back(rows[row + static_cast<std::size_t>(c)]);
  }
  return out;
}

void run_own(const AttentionShape& s, const AttentionBackward& data, cudaStream_t stream) {
  enqueue_attention(s, data.forward, stream);
  enqueue_attention_backward(s, data, stream);
}

/// `run` enqueues both passes.
template <class Run>
void check_one(const std::string& name, const AttentionShape& s, const Run& run, cudaStream_t stream) {
  const std::size_t rows = static_cast<std::size_t>(s.tokens());
  const int q_width = s.heads * s.head_dim, kv_width = s.kv_heads * s.head_dim;
  const auto qkv = random_bf16(rows * s.q_stride, 81, stream), dout = random_bf16(rows * s.out_stride, 84, stream);
  const auto out = poisoned<__nv_bfloat16>(dout.count(), stream), dqkv = poisoned<__nv_bfloat16>(qkv.count(), stream);
  const auto log_sum = poisoned<float>(rows * s.heads, stream), row_dot = poisoned<float>(rows * s.heads, stream);
  const auto dq_fp32 = poisoned<float>(rows * q_width, stream);
  const __nv_bfloat16 *k = qkv.data() + q_width, *v = k + kv_width;
  __nv_bfloat16 *dk = dqkv.data() + q_width, *dv = dk + kv_width;
  const AttentionForward forward{qkv.data(), k, v, out.data(), log_sum.data()};
  run(s, AttentionBackward{forward, dout.data(), row_dot.data(), dq_fp32.data(), dqkv.data(), dk, dv}, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  const HostAttention host = attention_reference(s, numbers(qkv), numbers(dout));
  const Numbers got = numbers(dqkv);
  const std::string what = name + " check, head_dim " + std::to_string(s.head_dim) + ", ";
  const auto part = [&](const Numbers& all, int first, int width) { return columns(all, s.q_stride, first, width); };
  require_close(what + "out", numbers(out), host.out);
  require_close(what + "dq", part(got, 0, q_width), part(host.dqkv, 0, q_width));
  require_close(what + "dk", part(got, q_width, kv_width), part(host.dqkv, q_width, kv_width));
  require_close(what + "dv", part(got, q_width + kv_width, kv_width), part(host.dqkv, q_width + kv_width, kv_width));
}

}  // namespace

void check_attention(int head_dim, cudaStream_t stream) {
  check_one("attention", fused_attention(2, 192, 4, 2, head_dim, true), run_own, stream);
  check_one("attention", fused_attention(1, 128, 2, 2, head_dim, false), run_own, stream);
}

void check_cudnn_attention(const CudnnHandle& handle, int head_dim, bool causal, cudaStream_t stream) {
  const auto run = [&](const AttentionShape& s, const AttentionBackward& data, cudaStream_t) {
    const CudnnAttention forward(handle, s, data.forward);
    const CudnnAttentionBackward backward(handle, s, data);
    forward.enqueue(stream);
    backward.enqueue(stream);
    CHECK_CUDA(cudaStreamSynchronize(stream));  // the plans end here
  };
  check_one("cuDNN attention", fused_attention(2, 192, 4, 2, head_dim, causal), run, stream);
  check_one("cuDNN attention", fused_attention(1, 128, 2, 2, head_dim, causal), run, stream);
}

}  // namespace clusterwright::probes
