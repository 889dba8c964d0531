// SPDX-License-Identifier: Apache-2.0
#include "collective_rank.hpp"

#include <string>

#include "fill.hpp"
#include "host_check.hpp"

namespace clusterwright::probes {
namespace {

constexpr std::size_t number_bytes = sizeof(__nv_bfloat16);

bool in_parts(CollectiveOperation operation) {
  return operation == CollectiveOperation::all_gather || operation == CollectiveOperation::reduce_scatter ||
         operation == CollectiveOperation::all_to_all;
}

}  // namespace

const char* name_of(CollectiveOperation operation) {
  switch (operation) {
    case CollectiveOperation::all_reduce:
      return "all_reduce";
    case CollectiveOperation::all_gather:
      return "all_gather";
    case CollectiveOperation::reduce_scatter:
      return "reduce_scatter";
    case CollectiveOperation::all_to_all:
      return "all_to_all";
    case CollectiveOperation::broadcast:
      return "broadcast";
    default:
      return "send_recv";
  }
}

std::size_t counted_bytes(CollectiveOperation operation, std::size_t bytes, int ranks) {
  const std::size_t unit = number_bytes * (in_parts(operation) ? static_cast<std::size_t>(ranks) : 1);
  return bytes / unit * unit;
}

CollectiveRank::CollectiveRank(int rank, int ranks, std::size_t bytes, cudaStream_t stream)
    : rank_(rank), ranks_(ranks), stream_(stream), in_(bytes), out_(bytes) {
  fill(in_.data(), DataType::bf16, bytes / number_bytes, Contents::random, 0, stream, 0, static_cast<float>(rank + 1));
  CHECK_CUDA(cudaStreamSynchronize(stream));
}

void CollectiveRank::all_to_all(std::size_t part) const {
  const Nccl& nccl = Nccl::library();
  nccl.group_start();
  for (int peer = 0; peer < ranks_; ++peer) {
    const std::size_t at = number_bytes * part * static_cast<std::size_t>(peer);
    nccl.send(in_.data() + at, part, peer, communicator_, stream_);
    nccl.receive(out_.data() + at, part, peer, communicator_, stream_);
  }
  nccl.group_end();
}

void CollectiveRank::shift(std::size_t count) const {
  const Nccl& nccl = Nccl::library();
  nccl.group_start();
  nccl.send(in_.data(), count, (rank_ + 1) % ranks_, communicator_, stream_);
  nccl.receive(out_.data(), count, (rank_ + ranks_ - 1) % ranks_, communicator_, stream_);
  nccl.group_end();
}

void CollectiveRank::enqueue(CollectiveOperation operation, std::size_t bytes) const {
  const Nccl& nccl = Nccl::library();
  const std::size_t count = bytes / number_bytes, part = count / static_cast<std::size_t>(ranks_);
  const char* in = in_.data();
  char* out = out_.data();
  switch (operation) {
    case CollectiveOperation::all_reduce:
      return nccl.all_reduce(in, out, count, communicator_, stream_);
    case CollectiveOperation::all_gather:
      return nccl.all_gather(in, out, part, communicator_, stream_);
    case CollectiveOperation::reduce_scatter:
      return nccl.reduce_scatter(in, out, part, communicator_, stream_);
    case CollectiveOperation::all_to_all:
      return all_to_all(part);
    case CollectiveOperation::broadcast:
      return nccl.broadcast(in, out, count, 0, communicator_, stream_);
    case CollectiveOperation::send_recv:
      return shift(count);
  }
}

void CollectiveRank::clear_output() const {
  CHECK_CUDA(cudaMemsetAsync(out_.data(), 0xff, out_.bytes(), stream_));  // NaN, so that a hole is seen
}

void CollectiveRank::check_output(CollectiveOperation operation, std::size_t bytes) const {
  const std::size_t count = bytes / number_bytes, part = count / static_cast<std::size_t>(ranks_);
  const double sum = 0.5 * ranks_ * (ranks_ + 1), left = (rank_ + ranks_ - 1) % ranks_ + 1;
  Numbers want(operation == CollectiveOperation::reduce_scatter ? part : count);
  for (std::size_t i = 0; i < want.size(); ++i) {
    const bool gathered = operation == CollectiveOperation::all_gather || operation == CollectiveOperation::all_to_all;
    const bool reduced =
        operation == CollectiveOperation::all_reduce || operation == CollectiveOperation::reduce_scatter;
    const double moved = operation == CollectiveOperation::broadcast ? 1 : left;
    want[i] = gathered ? static_cast<double>(i / part + 1) : reduced ? sum : moved;
  }
  std::vector<__nv_bfloat16> raw(want.size());
  CHECK_CUDA(cudaMemcpy(raw.data(), out_.data(), raw.size() * number_bytes, cudaMemcpyDeviceToHost));
  Numbers got;
  for (const __nv_bfloat16 number : raw) got.push_back(to_double(number));
  require_close(std::string("collective check, ") + name_of(operation), got, want);
}

}  // namespace clusterwright::probes
