// SPDX-License-Identifier: Apache-2.0
/// Stream of a chain of communication, and the part of its bytes that crosses the fabric.
#pragma once

#include <vector>

#include "models/lowering/stream_groups.hpp"

namespace clusterwright {

/// Traffic that one run of a chain stands for: that of all groups, or of all senders, of its classes.
struct ChainTraffic {
  ChainId chain;
  Stream stream = Stream::data_ring;
  std::vector<RankClassId> classes;  ///< each once
  /// Bytes of a group on the fabric, flags of the protocol included, per byte of the chain and of what its stream lays
  /// (lay_streams); 0 inside a domain.
  double share = 1;
};

}  // namespace clusterwright
