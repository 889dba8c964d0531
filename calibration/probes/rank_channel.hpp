// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the first process and the process of another rank say to each other, over a pair of sockets.

#include <cstdint>
#include <string>

#include "collective_rank.hpp"

namespace clusterwright::probes {

enum class RankOrder : int { prepare, connect, run, stop };

/// From the first process. Both ends are the same program on one machine, so the bytes are sent as they lie.
struct RankMessage {
  RankOrder order;
  CollectiveOperation operation;
  int launches;
  std::uint64_t bytes;  // prepare: of a buffer; run: of the operation
  Nccl::UniqueId id;
};

enum class RankOutcome : int { done, not_possible, failed };

/// From a rank: after prepare and connect, and when it gives up.
struct RankAnswer {
  RankOutcome outcome;
  char text[300];
};

/// The file descriptor at which a rank finds its end.
constexpr int rank_channel = 0;

/// The process of rank 1 or above: does what it is told until it is told to stop. Returns its exit code.
int run_rank(int rank, int ranks, int device);

}  // namespace clusterwright::probes
