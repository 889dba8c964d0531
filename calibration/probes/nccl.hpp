// SPDX-License-Identifier: Apache-2.0
#pragma once
// NCCL through dlopen with our own prototypes, so that neither its header nor the library is needed to build.

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

namespace clusterwright::probes {

class Nccl {
 public:
  using Communicator = void*;
  struct UniqueId {  // as ncclUniqueId
    char bytes[128];
  };

  /// The library, opened once and never closed.
  /// @throws NotPossible when libnccl.so.2 is not there or too old
  static const Nccl& library();

  int version() const;
  UniqueId unique_id() const;
  /// Blocks until all ranks are there.
  Communicator connect(const UniqueId& id, int rank, int ranks) const;
  void destroy(Communicator communicator) const { destroy_(communicator); }
  /// Also ends kernels that wait for a lost rank.
  void abort(Communicator communicator) const { abort_(communicator); }

  // Counts are of bf16 numbers; reductions are sums.
  void group_start() const { check(group_start_(), "ncclGroupStart"); }
  void group_end() const { check(group_end_(), "ncclGroupEnd"); }
  void all_reduce(const void* in, void* out, std::size_t count, Communicator c, cudaStream_t stream) const;
  void all_gather(const void* in, void* out, std::size_t count_sent, Communicator c, cudaStream_t stream) const;
  void reduce_scatter(const void* in, void* out, std::size_t count_received, Communicator c, cudaStream_t stream) const;
  void broadcast(const void* in, void* out, std::size_t count, int root, Communicator c, cudaStream_t stream) const;
  void send(const void* in, std::size_t count, int peer, Communicator c, cudaStream_t stream) const;
  void receive(void* out, std::size_t count, int peer, Communicator c, cudaStream_t stream) const;

 private:
  Nccl();
  template <class Function>
  void load(Function*& function, const char* name);
  void check(int status, const char* call) const;

  using Reduce = int(const void*, void*, std::size_t, int type, int operation, Communicator, cudaStream_t);
  using Broadcast = int(const void*, void*, std::size_t, int type, int root, Communicator, cudaStream_t);
  void* library_ = nullptr;
  int (*version_)(int*) = nullptr;
  const char* (*error_text_)(int) = nullptr;
  int (*unique_id_)(UniqueId*) = nullptr;
  int (*connect_)(Communicator*, int, UniqueId, int) = nullptr;
  int (*destroy_)(Communicator) = nullptr;
  int (*abort_)(Communicator) = nullptr;
  int (*group_start_)() = nullptr;
  int (*group_end_)() = nullptr;
  Reduce* all_reduce_ = nullptr;
  Reduce* reduce_scatter_ = nullptr;
  Broadcast* broadcast_ = nullptr;
  int (*all_gather_)(const void*, void*, std::size_t, int, Communicator, cudaStream_t) = nullptr;
  int (*send_)(const void*, std::size_t, int, int, Communicator, cudaStream_t) = nullptr;
  int (*receive_)(void*, std::size_t, int, int, Communicator, cudaStream_t) = nullptr;
};

}  // namespace clusterwright::probes
