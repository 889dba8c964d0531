// SPDX-License-Identifier: Apache-2.0
#pragma once
// A small language model from the layers and kernels of this folder: token embedding, layers, norm, head of its own,
// loss, backward pass and Adam, on one GPU.

#include <memory>
#include <vector>

#include "transformer_layer.hpp"

namespace clusterwright::probes {

struct ModelShape {
  const char* name;
  int layers, vocabulary;  // vocabulary: a multiple of 8
  LayerShape layer;
};

class TransformerModel {
 public:
  /// Random weights, tokens and targets. The handle outlives the model.
  TransformerModel(const LtHandle& handle, const ModelShape& shape, std::uint64_t seed, cudaStream_t stream);

  /// One training step on the same tokens.
  void step(const AdamStep& adam, cudaStream_t stream) const;

  /// Mean loss of the last step, which must be done.
  double loss() const;

  double flops() const;       // of one step's multiplies
  double parameters() const;  // without padding
  int operations() const;     // of one step, in the stream's queue

 private:
  const Bf16* forward(cudaStream_t stream) const;
  void backward(const Bf16* last, cudaStream_t stream) const;

  ModelShape shape_;
  ParameterArena arena_;
  Parameter embedding_, norm_;
  std::vector<std::unique_ptr<TransformerLayer>> layers_;
  LinearLayer head_;
  DeviceArray<float> weight_fp32_, first_moment_, second_moment_, loss_, inverse_rms_, norm_gradient_;
  DeviceArray<Bf16> embedded_, normed_, logits_, dnormed_, dlast_;
  DeviceArray<int> tokens_, targets_;
};

/// Trains a tiny model for a few steps. @throws SampleFailed when its loss does not fall
void check_transformer_model(const LtHandle& handle, cudaStream_t stream);

}  // namespace clusterwright::probes
