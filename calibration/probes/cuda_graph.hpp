// SPDX-License-Identifier: Apache-2.0
#pragma once
// Work of one stream, recorded once and replayed by a single launch.

#include "status.hpp"

namespace clusterwright::probes {

class CudaGraph {
 public:
  /// Records what `enqueue()` puts on `stream`; nothing runs yet.
  template <class Enqueue>
  CudaGraph(cudaStream_t stream, Enqueue enqueue) {
    CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    try {
      enqueue();
    } catch (...) {
      destroy_capture(stream);  // a stream left in capture mode would fail every later sample
      throw;
    }
    CHECK_CUDA(cudaStreamEndCapture(stream, &graph_));
    const cudaError_t status = cudaGraphInstantiate(&executable_, graph_, 0);
    cudaGraphDestroy(graph_);
    CHECK_CUDA(status);
  }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;
  ~CudaGraph() { cudaGraphExecDestroy(executable_); }

  void launch(cudaStream_t stream) const { CHECK_CUDA(cudaGraphLaunch(executable_, stream)); }

 private:
  void destroy_capture(cudaStream_t stream) {
    if (cudaStreamEndCapture(stream, &graph_) == cudaSuccess && graph_ != nullptr) cudaGraphDestroy(graph_);
    cudaGetLastError();
  }

  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace clusterwright::probes
