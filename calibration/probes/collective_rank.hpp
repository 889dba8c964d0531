// SPDX-License-Identifier: Apache-2.0
#pragma once
// One rank's end of the collectives: its buffers, its communicator, and what it enqueues. Every process has one.

#include "device_memory.hpp"
#include "nccl.hpp"

namespace clusterwright::probes {

enum class CollectiveOperation : int { all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, send_recv };

constexpr CollectiveOperation all_operations[] = {CollectiveOperation::all_reduce,     CollectiveOperation::all_gather,
                                                  CollectiveOperation::reduce_scatter, CollectiveOperation::all_to_all,
                                                  CollectiveOperation::broadcast,      CollectiveOperation::send_recv};

const char* name_of(CollectiveOperation operation);

/// What nccl-tests would count for `bytes`, the larger of a rank's two buffers: less where it must be whole equal parts
/// for every rank; 0 where that leaves nothing.
std::size_t counted_bytes(CollectiveOperation operation, std::size_t bytes, int ranks);

class CollectiveRank {
 public:
  /// Two buffers of `bytes` on the current device; what is sent is everywhere rank + 1.
  CollectiveRank(int rank, int ranks, std::size_t bytes, cudaStream_t stream);
  CollectiveRank(const CollectiveRank&) = delete;
  CollectiveRank& operator=(const CollectiveRank&) = delete;

  void use(Nccl::Communicator communicator) { communicator_ = communicator; }
  Nccl::Communicator communicator() const { return communicator_; }

  /// `bytes` as from `counted_bytes`. Send and receive go around a ring, broadcast starts at rank 0.
  void enqueue(CollectiveOperation operation, std::size_t bytes) const;

  /// Clears the output, and compares it after `enqueue` has run. @throws SampleFailed
  void clear_output() const;
  void check_output(CollectiveOperation operation, std::size_t bytes) const;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  cudaStream_t stream() const { return stream_; }

 private:
  void all_to_all(std::size_t part) const;
  void shift(std::size_t count) const;

  int rank_, ranks_;
  cudaStream_t stream_;
  DeviceArray<char> in_, out_;
  Nccl::Communicator communicator_ = nullptr;
};

}  // namespace clusterwright::probes
