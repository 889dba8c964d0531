// SPDX-License-Identifier: Apache-2.0
#include "cudnn_attention.hpp"

#include <cmath>
#include <limits>

namespace clusterwright::probes {
namespace {

using Tensor = CudnnGraph::Tensor;
using Sizes = CudnnGraph::Sizes;

/// Tensors [batch, heads, sequence, head_dim] over rows of tokens.
struct Operands {
  CudnnGraph& graph;
  const AttentionShape& shape;

  Tensor rows(const void* pointer, int heads, int stride) const {
    return graph.memory({shape.batch, heads, shape.sequence, shape.head_dim}, strides(stride), cudnn::bf16, pointer);
  }
  Tensor transposed(const void* pointer, int heads, int stride) const {
    const Sizes t = strides(stride);
    return graph.memory({shape.batch, heads, shape.head_dim, shape.sequence}, {t[0], t[1], t[3], t[2]}, cudnn::bf16,
                        pointer);
  }
  Tensor per_row(const void* pointer, int width) const {
    const Sizes sizes{shape.batch, shape.heads, shape.sequence, width};
    return graph.memory(sizes, CudnnGraph::packed(sizes), cudnn::fp32, pointer);
  }
  Sizes strides(int stride) const { return {std::int64_t{shape.sequence} * stride, shape.head_dim, stride, 1}; }
  Tensor scale() const { return graph.value(static_cast<float>(1 / std::sqrt(static_cast<double>(shape.head_dim)))); }
};

Tensor masked(CudnnGraph& graph, const AttentionShape& shape, Tensor scores) {
  if (!shape.causal) return scores;
  const Tensor row = graph.index(scores, 2), column = graph.index(scores, 3);
  const Tensor seen = graph.pointwise(cudnn::greater_equal, row, column, cudnn::boolean);
  return graph.select(seen, scores, graph.value(-std::numeric_limits<float>::infinity()));
}

/// sum = left^T * right, where `left` is [queries, keys] of every query head: heads that share a key head add up.
void add_transposed(CudnnGraph& graph, Tensor left, Tensor right, Tensor sum) {
  const std::int64_t n = left.sizes[2], heads = left.sizes[1];
  const Tensor keys_first = graph.transpose(left, {heads * n * n, n * n, 1, n});
  if (sum.sizes[1] == heads) return graph.multiply_to(sum, keys_first, right);
  graph.reduce_to(sum, cudnn::sum, graph.multiply(keys_first, right, cudnn::bf16));
}

/// dout . out of every row.
Tensor row_dot(const Operands& o, Tensor dout, const AttentionBackward& data) {
  const Tensor out = o.rows(data.forward.out, o.shape.heads, o.shape.out_stride), kept = o.per_row(data.row_dot, 1);
  const Tensor one = o.graph.value(1);  // dropout's place in the pattern that the engines know
  const Tensor dot = o.graph.reduce(cudnn::sum, o.graph.pointwise(cudnn::multiply, dout, out));
  o.graph.pointwise_to(kept, cudnn::multiply, dot, &one);
  return kept;
}

}  // namespace

CudnnAttention::CudnnAttention(const CudnnHandle& handle, const AttentionShape& shape, const AttentionForward& data)
    : graph_(handle) {
  const Operands o{graph_, shape};
  const Tensor q = o.rows(data.q, shape.heads, shape.q_stride), out = o.rows(data.out, shape.heads, shape.out_stride);
  const Tensor k = o.transposed(data.k, shape.kv_heads, shape.kv_stride);
  const Tensor v = o.rows(data.v, shape.kv_heads, shape.kv_stride), log_sum = o.per_row(data.log_sum, 1);
  const Tensor scores = masked(graph_, shape, graph_.pointwise(cudnn::multiply, graph_.multiply(q, k), o.scale()));
  const Tensor largest = graph_.reduce(cudnn::largest, scores);
  const Tensor weights = graph_.pointwise(cudnn::exponential, graph_.pointwise(cudnn::subtract, scores, largest));
  const Tensor sum = graph_.reduce(cudnn::sum, weights), log = graph_.pointwise(cudnn::logarithm, sum);
  graph_.pointwise_to(log_sum, cudnn::add, largest, &log);
  graph_.multiply_to(out, graph_.pointwise(cudnn::divide, weights, sum, cudnn::bf16), v);
  graph_.build();
}

CudnnAttentionBackward::CudnnAttentionBackward(const CudnnHandle& handle, const AttentionShape& shape,
                                               const AttentionBackward& data)
    : graph_(handle) {
  const Operands o{graph_, shape};
  const int heads = shape.heads, kv_heads = shape.kv_heads, stride = shape.kv_stride;
  const Tensor q = o.rows(data.forward.q, heads, shape.q_stride), dout = o.rows(data.dout, heads, shape.out_stride);
  const Tensor k = o.transposed(data.forward.k, kv_heads, stride), v = o.transposed(data.forward.v, kv_heads, stride);
  const Tensor dot = row_dot(o, dout, data), scale = o.scale(), log_sum = o.per_row(data.forward.log_sum, 1);
  const Tensor scores = graph_.pointwise(cudnn::multiply, graph_.multiply(q, k), scale);
  const Tensor logs = masked(graph_, shape, graph_.pointwise(cudnn::subtract, scores, log_sum));
  const Tensor weights = graph_.pointwise(cudnn::exponential, logs);
  add_transposed(graph_, weights, dout, o.rows(data.dv, kv_heads, stride));
  const Tensor centred = graph_.pointwise(cudnn::subtract, graph_.multiply(dout, v), dot);
  const Tensor dscores = graph_.pointwise(cudnn::multiply, graph_.pointwise(cudnn::multiply, centred, weights), scale);
  add_transposed(graph_, dscores, q, o.rows(data.dk, kv_heads, stride));
  const Tensor dq_sum = o.per_row(data.dq_fp32, shape.head_dim);
  graph_.multiply_to(dq_sum, dscores, graph_.transpose(k, o.strides(stride)));
  graph_.pointwise_to(o.rows(data.dq, heads, shape.q_stride), cudnn::identity, dq_sum);
  graph_.build();
}

}  // namespace clusterwright::probes
