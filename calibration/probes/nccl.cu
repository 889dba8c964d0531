#include "nccl.hpp"

#include <dlfcn.h>

#include "status.hpp"

namespace clusterwright::probes {

template <class Function>
void Nccl::load(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(dlsym(library_, name));
  if (function == nullptr) throw NotPossible(std::string("libnccl.so.2 lacks ") + name);
}

Nccl::Nccl() : library_(dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) throw NotPossible("libnccl.so.2 not found (put its folder on LD_LIBRARY_PATH)");
  load(version_, "ncclGetVersion");
  load(error_text_, "ncclGetErrorString");
  load(init_all_, "ncclCommInitAll");
  load(destroy_, "ncclCommDestroy");
  load(group_start_, "ncclGroupStart");
  load(group_end_, "ncclGroupEnd");
  load(all_reduce_, "ncclAllReduce");
  load(reduce_scatter_, "ncclReduceScatter");
  load(all_gather_, "ncclAllGather");
  load(send_, "ncclSend");
  load(receive_, "ncclRecv");
}

void Nccl::check(int status, const char* call) const {
  if (status != 0) throw SampleFailed(std::string(call) + ": " + error_text_(status));
}

int Nccl::version() const {
  int version = 0;
  check(version_(&version), "ncclGetVersion");
  return version;
}

void Nccl::init_all(std::vector<Communicator>& communicators) const {
  check(init_all_(communicators.data(), static_cast<int>(communicators.size()), nullptr), "ncclCommInitAll");
}

void Nccl::all_reduce(const void* in, void* out, std::size_t count, Communicator c, cudaStream_t stream) const {
  check(all_reduce_(in, out, count, bf16, sum, c, stream), "ncclAllReduce");
}

void Nccl::all_gather(const void* in, void* out, std::size_t count_sent, Communicator c, cudaStream_t stream) const {
  check(all_gather_(in, out, count_sent, bf16, c, stream), "ncclAllGather");
}

void Nccl::reduce_scatter(const void* in, void* out, std::size_t count_received, Communicator c, cudaStream_t stream) const {
  check(reduce_scatter_(in, out, count_received, bf16, sum, c, stream), "ncclReduceScatter");
}

void Nccl::send(const void* in, std::size_t count, int peer, Communicator c, cudaStream_t stream) const {
  check(send_(in, count, bf16, peer, c, stream), "ncclSend");
}

void Nccl::receive(void* out, std::size_t count, int peer, Communicator c, cudaStream_t stream) const {
  check(receive_(out, count, bf16, peer, c, stream), "ncclRecv");
}

}  // namespace clusterwright::probes
