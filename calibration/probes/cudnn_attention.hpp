// SPDX-License-Identifier: Apache-2.0
#pragma once
// cuDNN's fused attention, forward and backward, over the same buffers as our own kernel. Its operation for a whole
// attention knows no causal mask and no backward pass before 9.21, so the graphs are spelled out; cuDNN's fused engines
// recognise them.

#include "attention.hpp"
#include "cudnn_graph.hpp"

namespace clusterwright::probes {

class CudnnAttention {
 public:
  /// Buffers must outlive it.
  /// @throws NotPossible with the call that refused
  CudnnAttention(const CudnnHandle& handle, const AttentionShape& shape, const AttentionForward& data);
  void enqueue(cudaStream_t stream) const { graph_.execute(stream); }

 private:
  CudnnGraph graph_;
};

class CudnnAttentionBackward {
 public:
  CudnnAttentionBackward(const CudnnHandle& handle, const AttentionShape& shape, const AttentionBackward& data);
  void enqueue(cudaStream_t stream) const { graph_.execute(stream); }

 private:
  CudnnGraph graph_;
};

/// As `check_attention`, of one mask.
void check_cudnn_attention(const CudnnHandle& handle, int head_dim, bool causal, cudaStream_t stream);

}  // namespace clusterwright::probes
