// SPDX-License-Identifier: Apache-2.0
/// Host of a node: its processors, memory and drives.
#pragma once

#include <optional>

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

/// Processors, memory and drives of one node, shared by its accelerators. What is absent comes from the node's part,
/// else it is not known.
struct HostSpec {
  std::optional<int> cores;                        ///< cores of all processors, without hardware threads
  std::optional<Bytes> memory;                     ///< memory that jobs can use
  std::optional<BytesPerSecond> memory_bandwidth;  ///< bandwidth of all sockets, reads and writes together
  std::optional<Bytes> nvme;                       ///< capacity of its drives
  std::optional<BytesPerSecond> nvme_read;         ///< all drives together
  std::optional<BytesPerSecond> nvme_write;
};
const Record<HostSpec>& record(const HostSpec*);

}  // namespace clusterwright
