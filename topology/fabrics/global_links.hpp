// SPDX-License-Identifier: Apache-2.0
/// Cables between the groups of a dragonfly, and the switches that they leave.
#pragma once

#include <vector>

namespace clusterwright {

/// Every pair of groups has the stated cables. Otherwise equally many, or one more: `everywhere` each, and one extra
/// with the groups at certain distances round the ring of groups. A group of an odd number of groups leaves a port
/// empty where that evens it out.
struct GlobalLinks {
  /// @param ports     global ports of one group
  /// @param per_pair  cables between any two groups; 0: as many as the ports allow
  /// @throws std::invalid_argument for fewer ports than cables
  GlobalLinks(int groups, long long ports, int per_pair);

  int groups = 1;
  long long everywhere = 0;  ///< cables between any two groups
  int extra = 0;             ///< further cables of one group

  long long of_group() const { return everywhere * (groups - 1) + extra; }
  long long all() const { return of_group() * groups / 2; }

  /// Cables between the lower and the upper half of an even number of groups.
  long long half_cut() const;

  struct Cable {
    int from_group = 0;
    long long from_port = 0;  ///< 0 to of_group() - 1
    int to_group = 0;
    long long to_port = 0;
  };
  std::vector<Cable> cables() const;

  /// The switch of a group that has a port: ports are dealt to switches in blocks that differ by at most one (the
  /// palm-tree arrangement, where all ports are used).
  int switch_of(long long port, int switches) const { return static_cast<int>(port * switches / of_group()); }
};

}  // namespace clusterwright
