// SPDX-License-Identifier: Apache-2.0
/// Copies between accelerators and the memory beyond them, and what these copies share.
#pragma once

#include <optional>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/lowering/step_links.hpp"

namespace clusterwright {

/// Ranks share something of their hosts: storage, memory bandwidth or drives.
bool shares_hosts(const Scenario& scenario);

/// Memory and drives of hosts and the pool of a cluster as resources of a step graph. Host memory whose bandwidth is
/// not known is no limit.
class LevelLinks {
 public:
  /// @param links  of the accelerators; must outlive this
  LevelLinks(StepGraphBuilder& builder, const Scenario& scenario, const RankClasses& classes, StepLinks& links,
             BytesPerSecond host_link);

  /// A copy of a rank of class `c` to `tier`, or back. Drives are reached through host memory, which is written and
  /// read.
  /// @pre tier is not the device
  ChainId copy(MemoryLevel tier, bool out, Bytes payload, RankClassId c);
  /// New weights, from the host that computed them to its drives.
  ChainId host_to_drives(Bytes payload, RankClassId c);
  /// The optimizer on the host, over states in `tier`: limited by host memory, and by drives that states come from and
  /// go back to while others are updated. Where the bandwidth of host memory is not known, an accelerator's share of it
  /// is taken to be as fast as its link.
  /// @param parameters  that one rank updates
  /// @pre tier is host or nvme
  ChainId update(MemoryLevel tier, double parameters, RankClassId c);

 private:
  using Uses = std::vector<StepGraphBuilder::LegUse>;

  /// One transfer: what it crosses, and how fast it is alone.
  struct Path {
    Uses uses;
    BytesPerSecond rate;
  };
  void cross(Path& path, const std::vector<ResourceId>& hosts, const std::optional<BytesPerSecond>& rate,
             double coefficient, RankClassId c) const;
  Path pool_path(bool out, RankClassId c) const;
  Path update_path(MemoryLevel tier, RankClassId c) const;
  std::vector<ResourceId> on_hosts(const char* name, const std::optional<BytesPerSecond>& rate);

  StepGraphBuilder& builder_;
  const RankClasses& classes_;
  StepLinks& links_;
  HostSpec host_;
  std::optional<PoolSpec> pool_;
  BytesPerSecond host_link_;
  std::vector<ResourceId> memory_, drives_read_, drives_write_;  // by kind of host; empty where they are no limit
  ResourceId pool_out_, pool_in_;
};

}  // namespace clusterwright
