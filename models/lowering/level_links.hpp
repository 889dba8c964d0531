// SPDX-License-Identifier: Apache-2.0
/// Copies between accelerators and the memory beyond them, and the resources that these copies share.
#pragma once

#include <optional>

#include "models/job/scenario.hpp"
#include "models/lowering/step_links.hpp"

namespace clusterwright {

/// One resource for each kind of host: none where it is no limit, and empty where ranks share nothing of hosts.
using HostResources = IndexedVector<HostKindId, ResourceId>;

/// Memory and drives of hosts, and the memory pool of a cluster, as resources of a step graph. Host memory of unknown
/// bandwidth is no limit.
class LevelLinks {
 public:
  /// @param prices  outlives it
  LevelLinks(StepGraphBuilder& builder, const Scenario& scenario, const RankClasses& classes, const RankPorts& ports,
             StepLinks& links, const KindPrices& prices, PriceLog* log);

  /// Copy of a rank of class `c` to `level`, or back. Drives are reached through host memory, which is written and
  /// read.
  /// @pre level is not the device
  ChainId copy(MemoryLevel level, bool out, Bytes payload, RankClassId c);
  /// Copy of new weights from the host that computed them to its drives.
  ChainId host_to_drives(Bytes payload, RankClassId c);
  /// Optimizer on the host, over states in `level`. Its limits are host memory, and the drives that states come from
  /// and go back to while others are updated. Where the bandwidth of host memory is not known, an accelerator's share
  /// of it counts as fast as its link.
  /// @param traffic  bytes of states that one rank reads and writes
  /// @pre level is host or nvme
  ChainId update(MemoryLevel level, Bytes traffic, RankClassId c);

 private:
  /// Resources that one transfer crosses, and its rate when it is alone.
  struct Path {
    RankPorts::Uses uses;
    BytesPerSecond rate;
  };
  void cross(Path& path, const HostResources& hosts, const std::optional<BytesPerSecond>& rate, double coefficient,
             RankClassId c) const;
  Path pool_path(bool out, RankClassId c) const;
  Path update_path(MemoryLevel level, RankClassId c) const;
  HostResources on_hosts(const char* name, std::optional<BytesPerSecond> HostSpec::*rate);
  const HostSpec& host(RankClassId c) const { return prices_.scenario(classes_.kind(c)).cluster.spec.node.host; }
  BytesPerSecond host_link(RankClassId c) const { return prices_.host_link(classes_.kind(c)); }

  StepGraphBuilder& builder_;
  const RankClasses& classes_;
  const RankPorts& ports_;
  StepLinks& links_;
  PriceLog* log_;
  const KindPrices& prices_;
  std::optional<PoolSpec> pool_;
  HostResources memory_, drives_read_, drives_write_;
  ResourceId pool_out_, pool_in_;
};

}  // namespace clusterwright
