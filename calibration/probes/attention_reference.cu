// SPDX-License-Identifier: Apache-2.0
#include "attention_reference.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright::probes {
namespace {

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

/// Where the rows of one head of one sequence start.
struct HeadPlaces {
  std::size_t first_token, stride, out_stride;
  int q, k, v, out;  // columns

  HeadPlaces(const AttentionShape& s, int batch, int head)
      : first_token(static_cast<std::size_t>(batch) * s.sequence), stride(s.q_stride), out_stride(s.out_stride) {
    const int kv_head = head / (s.heads / s.kv_heads);
    q = out = head * s.head_dim;
    k = (s.heads + kv_head) * s.head_dim;
    v = (s.heads + s.kv_heads + kv_head) * s.head_dim;
  }
  std::size_t at(int position, int column) const { return (first_token + position) * stride + column; }
  std::size_t out_at(int position) const { return (first_token + position) * out_stride + out; }
};

void add_row(const AttentionShape& s, const HeadPlaces& p, const Numbers& qkv, const Numbers& dout, int row,
             HostAttention& h) {
  const int d = s.head_dim, seen = s.causal ? row + 1 : s.sequence;
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  const double *q = &qkv[p.at(row, p.q)], *gradient = &dout[p.out_at(row)];
  Numbers scores, dweights;
  for (int j = 0; j < seen; ++j) scores.push_back(scale * dot(q, &qkv[p.at(j, p.k)], d));
  const Numbers weights = softmax(scores);
  for (int j = 0; j < seen; ++j) {
    add_scaled(&h.out[p.out_at(row)], &qkv[p.at(j, p.v)], weights[j], d);
    add_scaled(&h.dqkv[p.at(j, p.v)], gradient, weights[j], d);
    dweights.push_back(dot(gradient, &qkv[p.at(j, p.v)], d));
  }
  const double mean = dot(weights.data(), dweights.data(), seen);
  for (int j = 0; j < seen; ++j) {
    const double dscore = weights[j] * (dweights[j] - mean) * scale;
    add_scaled(&h.dqkv[p.at(row, p.q)], &qkv[p.at(j, p.k)], dscore, d);
    add_scaled(&h.dqkv[p.at(j, p.k)], q, dscore, d);
  }
}

}  // namespace

HostAttention attention_reference(const AttentionShape& shape, const Numbers& qkv, const Numbers& dout) {
  HostAttention out{Numbers(dout.size(), 0.0), Numbers(qkv.size(), 0.0)};
  for (int batch = 0; batch < shape.batch; ++batch) {
    for (int head = 0; head < shape.heads; ++head) {
      const HeadPlaces places(shape, batch, head);
      for (int row = 0; row < shape.sequence; ++row) add_row(shape, places, qkv, dout, row, out);
    }
  }
  return out;
}

}  // namespace clusterwright::probes
