// The attention kernels against double precision on the host, at a size that takes a moment.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "attention.hpp"

namespace clusterwright::probes {
namespace {

using Numbers = std::vector<double>;
using Bf16 = __nv_bfloat16;

Numbers numbers(const DeviceArray<Bf16>& array) {
  Numbers out;
  for (const Bf16 x : array.to_host()) out.push_back(static_cast<double>(__bfloat162float(x)));
  return out;
}

struct HostAttention {
  AttentionShape shape;
  Numbers q, k, v, dout;             // inputs
  Numbers out, dq, dk, dv;           // results

  explicit HostAttention(const AttentionShape& s) : shape(s) {}
};

double dot(const double* a, const double* b, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

void add_scaled(double* to, const double* from, double scale, int count) {
  for (int i = 0; i < count; ++i) to[i] += scale * from[i];
}

Numbers softmax(Numbers scores) {
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - largest);
  for (double& score : scores) score /= sum;
  return scores;
}

void reference_row(HostAttention& h, int batch, int head, int row) {
  const AttentionShape& s = h.shape;
  const int d = s.head_dim, kv_head = head / (s.heads / s.kv_heads), seen = s.causal ? row + 1 : s.sequence;
  const std::size_t q_at = (static_cast<std::size_t>(batch) * s.sequence + row) * s.q_stride + head * d;
  const auto key_at = [&](int j) { return (static_cast<std::size_t>(batch) * s.sequence + j) * s.kv_stride + kv_head * d; };
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  Numbers scores, dweights;
  for (int j = 0; j < seen; ++j) scores.push_back(scale * dot(&h.q[q_at], &h.k[key_at(j)], d));
  const Numbers weights = softmax(scores);
  for (int j = 0; j < seen; ++j) {
    add_scaled(&h.out[q_at], &h.v[key_at(j)], weights[j], d);
    add_scaled(&h.dv[key_at(j)], &h.dout[q_at], weights[j], d);
    dweights.push_back(dot(&h.dout[q_at], &h.v[key_at(j)], d));
  }
  const double mean = dot(weights.data(), dweights.data(), seen);
  for (int j = 0; j < seen; ++j) {
    const double dscore = weights[j] * (dweights[j] - mean) * scale;
    add_scaled(&h.dq[q_at], &h.k[key_at(j)], dscore, d);
    add_scaled(&h.dk[key_at(j)], &h.q[q_at], dscore, d);
  }
}

void reference(HostAttention& h) {
  h.out.assign(h.q.size(), 0);
  h.dq.assign(h.q.size(), 0);
  h.dk.assign(h.k.size(), 0);
  h.dv.assign(h.v.size(), 0);
  for (int batch = 0; batch < h.shape.batch; ++batch) {
    for (int head = 0; head < h.shape.heads; ++head) {
      for (int row = 0; row < h.shape.sequence; ++row) reference_row(h, batch, head, row);
    }
  }
}

void compare(const char* result, const AttentionShape& s, const DeviceArray<Bf16>& array, const Numbers& want) {
  const Numbers got = numbers(array);
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    difference += (got[i] - want[i]) * (got[i] - want[i]);
    size += want[i] * want[i];
  }
  const double error = std::sqrt(difference / size);
  if (error < 2e-2) return;
  throw SampleFailed(std::string("attention check, head_dim ") + std::to_string(s.head_dim) + ", " + result + ": relative error " + std::to_string(error));
}

DeviceArray<Bf16> poisoned(std::size_t count, cudaStream_t stream) {
  DeviceArray<Bf16> array(count);
  CHECK_CUDA(cudaMemsetAsync(array.data(), 0xff, array.bytes(), stream));   // NaN, so that a hole is seen
  return array;
}

void check_one(const AttentionShape& s, cudaStream_t stream) {
  const std::size_t rows = static_cast<std::size_t>(s.tokens()), q_count = rows * s.q_stride, kv_count = rows * s.kv_stride;
  const auto q = random_bf16(q_count, 81, stream), k = random_bf16(kv_count, 82, stream), v = random_bf16(kv_count, 83, stream);
  const auto dout = random_bf16(q_count, 84, stream);
  const auto out = poisoned(q_count, stream), dq = poisoned(q_count, stream), dk = poisoned(kv_count, stream), dv = poisoned(kv_count, stream);
  const DeviceArray<float> log_sum(rows * s.heads), row_dot(rows * s.heads), dq_fp32(q_count);
  const AttentionForward forward{q.data(), k.data(), v.data(), out.data(), log_sum.data()};
  enqueue_attention(s, forward, stream);
  enqueue_attention_backward(s, {forward, dout.data(), row_dot.data(), dq_fp32.data(), dq.data(), dk.data(), dv.data()}, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  HostAttention host(s);
  host.q = numbers(q);
  host.k = numbers(k);
  host.v = numbers(v);
  host.dout = numbers(dout);
  reference(host);
  compare("out", s, out, host.out);
  compare("dq", s, dq, host.dq);
  compare("dk", s, dk, host.dk);
  compare("dv", s, dv, host.dv);
}

}  // namespace

void check_attention(cudaStream_t stream) {
  for (const int head_dim : {64, 128}) {
    check_one(packed_attention(2, 192, 4, 2, head_dim, true), stream);
    check_one(packed_attention(1, 128, 2, 2, head_dim, false), stream);
  }
}

}  // namespace clusterwright::probes
