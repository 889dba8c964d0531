// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every status of CUDA and of the libraries becomes one of three exceptions, which decide what the document says.

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace clusterwright::probes {

/// The sample is not possible here (memory, architecture, missing library): an entry of "skipped".
struct NotPossible : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The sample went wrong: an entry of "errors"; the next sample goes on.
struct SampleFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The CUDA context is unusable (illegal address, hardware fault): no later sample can be had in this process.
struct DeviceLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears the sticky copy of an ordinary error; a lost context answers again below
  const std::string text = std::string(call) + ": " + cudaGetErrorName(status) + ", " + cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation) throw NotPossible("out of memory: " + text);
  const bool lost = cudaStreamQuery(cudaStreamLegacy) == status;
  cudaGetLastError();  // the query leaves its own
  if (lost) throw DeviceLost(text);
  throw SampleFailed(text);
}

/// Kernel launches return nothing; their error waits here.
inline void check_launch(const char* kernel) {
  check(cudaGetLastError(), kernel);
}

}  // namespace clusterwright::probes

#define CHECK_CUDA(call) ::clusterwright::probes::check((call), #call)
