// SPDX-License-Identifier: Apache-2.0
#pragma once
// Owners of device memory, pinned host memory, streams and events.

#include <cstddef>
#include <utility>
#include <vector>

#include "status.hpp"

namespace clusterwright::probes {

template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t count) : count_(count) {
    if (count > 0) CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    CHECK_CUDA(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaDeviceSynchronize());  // from pageable memory the copy may still be on its way
  }
  DeviceArray(DeviceArray&& other) noexcept { swap(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceArray() { cudaFree(data_); }

  T* data() const { return data_; }
  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  /// The stream that writes the array must be done.
  std::vector<T> to_host() const {
    std::vector<T> values(count_);
    CHECK_CUDA(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  void swap(DeviceArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
  }
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

class PinnedBytes {
 public:
  explicit PinnedBytes(std::size_t bytes) { CHECK_CUDA(cudaMallocHost(&data_, bytes)); }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  ~PinnedBytes() { cudaFreeHost(data_); }
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

class Stream {
 public:
  Stream() { CHECK_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { CHECK_CUDA(cudaEventCreate(&event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  cudaEvent_t get() const { return event_; }
  void record(cudaStream_t stream) { CHECK_CUDA(cudaEventRecord(event_, stream)); }
  void wait() { CHECK_CUDA(cudaEventSynchronize(event_)); }
  bool done() const {
    const cudaError_t status = cudaEventQuery(event_);
    if (status != cudaErrorNotReady) CHECK_CUDA(status);
    cudaGetLastError();  // "not ready" would be taken for the next launch's error
    return status == cudaSuccess;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Microseconds between two recorded and finished events.
inline double elapsed_us(const Event& from, const Event& to) {
  float milliseconds = 0;
  CHECK_CUDA(cudaEventElapsedTime(&milliseconds, from.get(), to.get()));
  return 1e3 * milliseconds;
}

}  // namespace clusterwright::probes
