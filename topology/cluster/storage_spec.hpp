/// What surrounds accelerators: their host, its drives, the file system of all hosts, pooled memory.
#pragma once

#include <optional>

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

/// Processors, memory and drives of one node; its accelerators share them. What is absent comes from the node's part,
/// then is not known.
struct HostSpec {
  std::optional<int> cores;                        ///< of all its processors, without hardware threads
  std::optional<Bytes> memory;                     ///< what jobs can have of it
  std::optional<BytesPerSecond> memory_bandwidth;  ///< of all sockets, reads and writes together
  std::optional<Bytes> nvme;                       ///< capacity of its drives
  std::optional<BytesPerSecond> nvme_read;         ///< all drives together
  std::optional<BytesPerSecond> nvme_write;
};
const Record<HostSpec>& record(const HostSpec*);

/// How accelerators reach pooled memory: over links that are for nothing else, or over those that collectives use.
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
};
const Record<StorageSpec>& record(const StorageSpec*);

/// `own` where it says something, else `other`.
StorageSpec filled_in(StorageSpec own, const StorageSpec& other);

}  // namespace clusterwright
