// SPDX-License-Identifier: Apache-2.0
/// Hosts whose storage, memory, drives or PCI Express the ranks on them share.
#pragma once

#include <map>

#include "models/job/scenario.hpp"
#include "sim/step_graph.hpp"

namespace clusterwright {

/// Accelerators that share a part of a host; 0 where the ranks of a job share nothing of it.
struct SharingWidths {
  int host = 0;         ///< storage, memory bandwidth or drives
  int pcie_switch = 0;  ///< uplink of a PCI Express switch, which copies between host and devices cross

  bool any() const { return host > 0 || pcie_switch > 0; }
};
SharingWidths sharing_widths(const Scenario& scenario);

using HostKindId = Id<struct HostKindTag>;

/// Ranks of each class on one host.
using HostRanks = std::map<RankClassId, int>;

/// Hosts, or switches inside them, by kind: those of one kind hold equally many ranks of every class. All hosts of a
/// class are of one kind.
class SharedHosts {
 public:
  /// No hosts: ranks share nothing of them.
  SharedHosts() = default;
  /// @param hosts    ranks on each host, by the host's number
  /// @param classes  number of rank classes
  SharedHosts(const std::map<int, HostRanks>& hosts, std::size_t classes);

  IdRange<HostKindId> kinds() const { return kinds_.ids(); }
  /// Kind of the hosts of class `c`.
  HostKindId kind_of(RankClassId c) const { return kind_of_[c]; }
  /// One of the classes with ranks on hosts of a kind, which are all on nodes of one kind.
  RankClassId a_class_on(HostKindId kind) const { return kinds_[kind].begin()->first; }
  /// Number of ranks of class `c` on one of its hosts.
  int ranks_of(RankClassId c) const { return kinds_[kind_of_[c]].at(c); }

 private:
  IndexedVector<HostKindId, HostRanks> kinds_;
  IndexedVector<RankClassId, HostKindId> kind_of_;
};

}  // namespace clusterwright
