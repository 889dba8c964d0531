// SPDX-License-Identifier: Apache-2.0
#pragma once
// The weights of a model and their gradients, each kind in one array, so that one kernel can update them all.

#include <cuda_bf16.h>

#include <vector>

#include "device_memory.hpp"

namespace clusterwright::probes {

struct Parameter {
  __nv_bfloat16 *weight, *gradient;
};

class ParameterArena {
 public:
  /// Room for parameters of these sizes, to be taken in this order. Everything is zero at first.
  ParameterArena(const std::vector<std::size_t>& counts, cudaStream_t stream)
      : weights_(padded_sum(counts)), gradients_(weights_.count()) {
    for (const auto* array : {&weights_, &gradients_}) {
      CHECK_CUDA(cudaMemsetAsync(array->data(), 0, array->bytes(), stream));
    }
  }

  Parameter take(std::size_t count) {
    const std::size_t at = taken_;
    taken_ += padded(count);
    if (taken_ > weights_.count()) throw SampleFailed("more parameters than there is room for");
    return {weights_.data() + at, gradients_.data() + at};
  }

  /// Of each array, the padding between parameters included.
  std::size_t count() const { return weights_.count(); }
  __nv_bfloat16* weights() const { return weights_.data(); }
  const __nv_bfloat16* gradients() const { return gradients_.data(); }

 private:
  /// Every parameter starts on 256 bytes, as cuBLASLt's heuristic assumes.
  static std::size_t padded(std::size_t count) { return (count + 127) / 128 * 128; }
  static std::size_t padded_sum(const std::vector<std::size_t>& counts) {
    std::size_t sum = 0;
    for (const std::size_t count : counts) sum += padded(count);
    return sum;
  }

  DeviceArray<__nv_bfloat16> weights_, gradients_;
  std::size_t taken_ = 0;
};

}  // namespace clusterwright::probes
