// SPDX-License-Identifier: Apache-2.0
#include "nccl.hpp"

#include <dlfcn.h>
#include <stdlib.h>

#include "status.hpp"

namespace clusterwright::probes {
namespace {

constexpr int bf16 = 9, sum = 0;  // ncclBfloat16, ncclSum

}  // namespace

template <class Function>
void Nccl::load(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(dlsym(library_, name));
  if (function == nullptr) throw NotPossible(std::string("libnccl.so.2 lacks ") + name);
}

Nccl::Nccl() {
  setenv("NCCL_DEBUG_FILE", "/dev/stderr", 0);  // its log must not get into a document on standard output
  library_ = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw NotPossible("libnccl.so.2 not found (put its folder on LD_LIBRARY_PATH)");
  load(version_, "ncclGetVersion");
  load(error_text_, "ncclGetErrorString");
  load(unique_id_, "ncclGetUniqueId");
  load(connect_, "ncclCommInitRank");
  load(destroy_, "ncclCommDestroy");
  load(abort_, "ncclCommAbort");
  load(group_start_, "ncclGroupStart");
  load(group_end_, "ncclGroupEnd");
  load(all_reduce_, "ncclAllReduce");
  load(reduce_scatter_, "ncclReduceScatter");
  load(broadcast_, "ncclBroadcast");
  load(all_gather_, "ncclAllGather");
  load(send_, "ncclSend");
  load(receive_, "ncclRecv");
}

const Nccl& Nccl::library() {
  static const Nccl* const nccl = new Nccl;  // a thread that waits for a lost rank may outlive main
  return *nccl;
}

void Nccl::check(int status, const char* call) const {
  if (status != 0) throw SampleFailed(std::string(call) + ": " + error_text_(status));
}

int Nccl::version() const {
  int version = 0;
  check(version_(&version), "ncclGetVersion");
  return version;
}

Nccl::UniqueId Nccl::unique_id() const {
  UniqueId id{};
  check(unique_id_(&id), "ncclGetUniqueId");
  return id;
}

Nccl::Communicator Nccl::connect(const UniqueId& id, int rank, int ranks) const {
  Communicator communicator = nullptr;
  const int status = connect_(&communicator, ranks, id, rank);
  cudaGetLastError();  // what NCCL tried in vain is no error of the next launch
  check(status, "ncclCommInitRank");
  return communicator;
}

void Nccl::all_reduce(const void* in, void* out, std::size_t count, Communicator c, cudaStream_t stream) const {
  check(all_reduce_(in, out, count, bf16, sum, c, stream), "ncclAllReduce");
}

void Nccl::all_gather(const void* in, void* out, std::size_t count_sent, Communicator c, cudaStream_t stream) const {
  check(all_gather_(in, out, count_sent, bf16, c, stream), "ncclAllGather");
}

void Nccl::reduce_scatter(const void* in, void* out, std::size_t count_received, Communicator c,
                          cudaStream_t stream) const {
  check(reduce_scatter_(in, out, count_received, bf16, sum, c, stream), "ncclReduceScatter");
}

void Nccl::broadcast(const void* in, void* out, std::size_t count, int root, Communicator c,
                     cudaStream_t stream) const {
  check(broadcast_(in, out, count, bf16, root, c, stream), "ncclBroadcast");
}

void Nccl::send(const void* in, std::size_t count, int peer, Communicator c, cudaStream_t stream) const {
  check(send_(in, count, bf16, peer, c, stream), "ncclSend");
}

void Nccl::receive(void* out, std::size_t count, int peer, Communicator c, cudaStream_t stream) const {
  check(receive_(out, count, bf16, peer, c, stream), "ncclRecv");
}

}  // namespace clusterwright::probes
