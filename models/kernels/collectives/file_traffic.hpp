// SPDX-License-Identifier: Apache-2.0
/// Flows between accelerators and the file servers of their network.
///
/// A file is striped over `stripe_servers` servers, or over all if there are fewer; files begin at servers in turn.
/// Each server of a file sends or gets the same share, over the NICs that stand beside those of the accelerator (the
/// same rail).
///
/// Example: two accelerators read a file of 8 bytes each from 16 servers: 1 byte on a NIC of each server, 8 on their
/// own.
#pragma once

#include <vector>

#include "models/kernels/collectives/algorithm_traffic.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/routing/link_loads.hpp"

namespace clusterwright {

inline constexpr int stripe_servers = 8;  ///< a usual stripe count of parallel file systems

class FileTraffic {
 public:
  /// @pre cluster.has_files_on_network()
  /// @param cluster  outlives it
  /// @param share    of the rate of links that the transport reaches: transport_share
  FileTraffic(const Cluster& cluster, double share);
  FileTraffic(const FileTraffic&) = delete;
  FileTraffic& operator=(const FileTraffic&) = delete;

  /// Adds what an accelerator reads of a file, `bytes` in all. @param file  its number, from 0
  void add_read(std::vector<Demand>& demands, AcceleratorId reader, int file, double bytes) const;
  /// Adds what an accelerator writes, likewise.
  void add_write(std::vector<Demand>& demands, AcceleratorId writer, int file, double bytes) const;

  /// Time in which the busiest link carries all demands, in bytes, by the routing of the fabric.
  /// @throws ConfigError E0320 where a pair has no path left
  Seconds time(const std::vector<Demand>& demands) const;

 private:
  template <class Add>
  void each_server(AcceleratorId accelerator, int file, double bytes, Add add) const;

  const Cluster& cluster_;
  double share_;
  Communicator no_group_;
  TrafficBuilder flows_;
};

}  // namespace clusterwright
