// SPDX-License-Identifier: Apache-2.0
#pragma once
// A graph of cuDNN operations over four-dimensional tensors, and the plan that runs it.

#include <array>
#include <deque>
#include <memory>

#include "cudnn_api.hpp"
#include "device_memory.hpp"

namespace clusterwright::probes {

/// Everything but `execute` is called before `build`, and all of it throws NotPossible when cuDNN refuses.
class CudnnGraph {
 public:
  using Sizes = std::array<std::int64_t, 4>;
  struct Tensor {
    void* descriptor;
    Sizes sizes;
  };

  explicit CudnnGraph(const CudnnHandle& handle) : handle_(handle.get()) {}

  static Sizes packed(const Sizes& sizes);  // strides of a row-major tensor
  Tensor memory(const Sizes& sizes, const Sizes& strides, cudnn::DataType type, const void* pointer);
  Tensor value(float x);  // a number handed over with the launch
  /// Results that never reach memory of ours.
  Tensor pointwise(cudnn::Pointwise mode, Tensor x, cudnn::DataType type = cudnn::fp32);
  Tensor pointwise(cudnn::Pointwise mode, Tensor x, Tensor b, cudnn::DataType type = cudnn::fp32);
  Tensor index(Tensor x, int axis);
  Tensor select(Tensor where, Tensor x, Tensor otherwise);
  Tensor multiply(Tensor a, Tensor b, cudnn::DataType type = cudnn::fp32);
  Tensor reduce(cudnn::Reduction mode, Tensor x);    // over the last axis
  Tensor transpose(Tensor x, const Sizes& strides);  // the last two axes; bf16
  /// The same into tensors that are there.
  void pointwise_to(Tensor y, cudnn::Pointwise mode, Tensor x, const Tensor* b = nullptr);
  void multiply_to(Tensor c, Tensor a, Tensor b);
  void reduce_to(Tensor y, cudnn::Reduction mode, Tensor x);

  /// The first engine configuration that finalizes: by heuristic mode A, else the fallback list.
  void build();
  void execute(cudaStream_t stream) const;

 private:
  CudnnDescriptor& keep(cudnn::Kind kind, const char* name);
  Tensor tensor(const Sizes& sizes, const Sizes& strides, cudnn::DataType type, cudnn::Attribute flag, void* pointer);
  Tensor result(const Sizes& sizes, cudnn::DataType type);
  CudnnDescriptor& pointwise_operation(cudnn::Pointwise mode, Tensor x, Tensor y, int axis = -1);
  void add(CudnnDescriptor& operation);
  bool plan_by(cudnn::Heuristics mode, void* graph, std::string& refusal);
  bool plan_of(void* engine_config, std::string& refusal);
  void pack();

  void* handle_;
  std::deque<CudnnDescriptor> kept_;  // references stay valid
  std::deque<float> values_;
  std::vector<void*> operations_, pointers_;
  std::vector<std::int64_t> ids_;
  std::int64_t tensors_ = 0;
  std::unique_ptr<CudnnDescriptor> plan_, pack_;
  DeviceArray<unsigned char> workspace_;
};

}  // namespace clusterwright::probes
