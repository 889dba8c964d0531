// SPDX-License-Identifier: Apache-2.0
/// Queue pairs by which collectives and messages send over a NIC: a NIC serves its active queue pairs in turn, so they
/// are what shares it among transfers.
#pragma once

#include "models/kernels/collectives/group_links.hpp"

namespace clusterwright {

/// Queue pairs of a ring, of a tree and of a message on one NIC: NCCL runs two channels over each NIC, and two for each
/// remote peer of small groups, with one queue pair each.
/// @source NCCL 2.19 and later: src/graph/paths.cc (NCHANNELS_PER_NET_PEER), NCCL_IB_QPS_PER_CONNECTION = 1
inline constexpr int usual_queue_pairs = 2;

/// Ranks of a group up to which an exchange has two channels for each remote peer; beyond them it has one.
inline constexpr int two_channels_up_to = 32;

/// Queue pairs of an exchange in which every rank sends to every other, on the NIC of one rank: those to the ranks of
/// its rail in all other domains.
///
/// Example: experts over 8 servers of 8 H100 have 7 peers on each rail, and one channel to each.
inline int exchange_queue_pairs(const GroupShape& group) {
  const int channels = group.ranks() <= two_channels_up_to ? 2 : 1;
  return channels * (group.domains - 1);
}

}  // namespace clusterwright
