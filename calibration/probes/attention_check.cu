// The attention kernels against double precision on the host, at a size that takes a moment.

#include "attention.hpp"
#include "attention_reference.hpp"

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

void check_one(const AttentionShape& s, cudaStream_t stream) {
  const std::size_t rows = static_cast<std::size_t>(s.tokens());
  const int q_width = s.heads * s.head_dim, kv_width = s.kv_heads * s.head_dim;
  const auto qkv = random_bf16(rows * s.q_stride, 81, stream), dout = random_bf16(rows * s.out_stride, 84, stream);
  const auto out = poisoned<__nv_bfloat16>(dout.count(), stream), dqkv = poisoned<__nv_bfloat16>(qkv.count(), stream);
  const auto log_sum = poisoned<float>(rows * s.heads, stream), row_dot = poisoned<float>(rows * s.heads, stream);
  const auto dq_fp32 = poisoned<float>(rows * q_width, stream);
  const __nv_bfloat16 *k = qkv.data() + q_width, *v = k + kv_width;
  __nv_bfloat16 *dk = dqkv.data() + q_width, *dv = dk + kv_width;
  const AttentionForward forward{qkv.data(), k, v, out.data(), log_sum.data()};
  enqueue_attention(s, forward, stream);
  enqueue_attention_backward(s, {forward, dout.data(), row_dot.data(), dq_fp32.data(), dqkv.data(), dk, dv}, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  const HostAttention host = attention_reference(s, numbers(qkv), numbers(dout));
  const Numbers got = numbers(dqkv);
  const std::string what = "attention check, head_dim " + std::to_string(s.head_dim) + ", ";
  const auto part = [&](const Numbers& all, int first, int width) { return columns(all, s.q_stride, first, width); };
  require_close(what + "out", numbers(out), host.out);
  require_close(what + "dq", part(got, 0, q_width), part(host.dqkv, 0, q_width));
  require_close(what + "dk", part(got, q_width, kv_width), part(host.dqkv, q_width, kv_width));
  require_close(what + "dv", part(got, q_width + kv_width, kv_width), part(host.dqkv, q_width + kv_width, kv_width));
}

}  // namespace

void check_attention(int head_dim, cudaStream_t stream) {
  check_one(fused_attention(2, 192, 4, 2, head_dim, true), stream);
  check_one(fused_attention(1, 128, 2, 2, head_dim, false), stream);
}

}  // namespace clusterwright::probes
