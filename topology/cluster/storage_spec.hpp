// SPDX-License-Identifier: Apache-2.0
/// Storage and memory that all nodes of a cluster share.
#pragma once

#include <optional>

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

/// Links over which accelerators reach pooled memory: links of its own, or those that collectives use.
enum class PoolLink { own, scale_up, network };

/// Memory that all accelerators share: CXL, or a memory server.
struct PoolSpec {
  std::optional<Bytes> capacity;
  std::optional<BytesPerSecond>
      accelerator;                      ///< one accelerator, one direction; that of the links it goes over if absent
  std::optional<BytesPerSecond> total;  ///< all accelerators together, one direction
  PoolLink over = PoolLink::own;
};
const Record<PoolSpec>& record(const PoolSpec*);

/// A file system that all hosts share. Absent rates are no limit.
struct StorageSpec {
  std::optional<BytesPerSecond> read;  ///< all hosts together
  std::optional<BytesPerSecond> write;
  std::optional<BytesPerSecond> host_read;  ///< one host
  std::optional<BytesPerSecond> host_write;
  bool operator==(const StorageSpec&) const = default;
};
const Record<StorageSpec>& record(const StorageSpec*);

/// Storage of `own`, with what it leaves open taken from `other`.
StorageSpec filled_in(StorageSpec own, const StorageSpec& other);

}  // namespace clusterwright
