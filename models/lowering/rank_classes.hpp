// SPDX-License-Identifier: Apache-2.0
/// Which ranks may share one class of the step graph, and what they load above tapered tiers.
#pragma once

#include <map>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/plan/placement.hpp"
#include "models/plan/plan.hpp"
#include "sim/step_graph.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/fabrics/fabric_tiers.hpp"

namespace clusterwright {

enum class Folding { folded, unfolded };

/// One direction of the links that leave one group of a tier.
struct UplinkBundle {
  int tier = 0;
  int group = 0;
  bool up = true;
  auto operator<=>(const UplinkBundle&) const = default;
};

/// A stream of traffic: pipeline messages one way or the other, a ring of all replicas, the rings of those that hold
/// the same shard (HSDP), tokens on their way to experts, or the rings of those that hold the same experts.
enum class Stream : int { forward, backward, data_ring, mirror_ring, experts, expert_ring };
inline constexpr std::size_t stream_count = 6;

/// Highest clock of ranks that are slower than the others, relative to these.
using SlowRanks = std::map<int, double>;

/// Stragglers of a cluster among the first `ranks` accelerators.
SlowRanks slow_ranks(const ClusterSpec& cluster, int ranks);

/// A partition of ranks. Ranks of one class run the same program at the same time over equally loaded links.
///
/// Folding: ranks of a tensor group on one node are alike, and so are replicas whose pipeline neighbours sit equally
/// far away and whose tapered uplinks carry the same traffic (refined until nothing splits: colour refinement on
/// replicas). Stragglers split the replicas that they are in, and tensor groups into single ranks. Unfolding gives each
/// rank a class of its own.
///
/// Where ranks share their hosts (storage, host memory), ranks of one class also sit on hosts that hold equally many
/// ranks of every class.
class RankClasses {
 public:
  /// @param host  accelerators of one host; 0 if its ranks share nothing of it
  static RankClasses fold(const Placement& placement, const FabricTiers& fabric, const SlowRanks& slow = {},
                          int host = 0);
  static RankClasses unfold(const Placement& placement, const FabricTiers& fabric, const SlowRanks& slow = {},
                            int host = 0);

  std::size_t count() const { return representatives_.size(); }
  IdRange<RankClassId> ids() const { return representatives_.ids(); }
  const RankCoordinates& representative(RankClassId c) const { return representatives_[c]; }
  int multiplicity(RankClassId c) const { return multiplicities_[c]; }
  double highest_clock(RankClassId c) const { return highest_clocks_[c]; }
  RankClassId class_of(const RankCoordinates& at) const;
  bool folded() const { return folded_; }
  /// Neighbours in a tensor group that share a class: those on one node, under the same switches; 1 when unfolded.
  int tensor_ranks_together() const { return tensor_ranks_together_; }

  /// Bundles above tapered tiers that a stream of class `c` crosses, and what it puts there.
  struct Crossing {
    int resource = 0;   ///< bundles with the same load share a number
    int count = 0;      ///< concrete transfers of the class that cross one bundle
    double passes = 1;  ///< times that one transfer crosses it: a ring may leave a group more than once, an exchange
                        ///< sends a part of what leaves the node
  };
  const std::vector<Crossing>& crossings(Stream stream, RankClassId c) const {
    return crossings_[static_cast<std::size_t>(stream)][c];
  }

  /// One bundle for each `Crossing::resource`.
  const std::vector<UplinkBundle>& bundles() const { return bundles_; }

  /// Kinds of hosts, and that of the hosts of class `c`. Only where ranks share them.
  std::size_t host_count() const { return hosts_.size(); }
  std::size_t host_of(RankClassId c) const { return host_of_[c]; }
  /// Ranks of class `c` on one of its hosts.
  int ranks_on_host(RankClassId c) const { return hosts_[host_of_[c]].at(c); }

 private:
  using HostRanks = std::map<RankClassId, int>;  // ranks of each class on one host

  RankClasses(const Placement& placement, const FabricTiers& fabric, const SlowRanks& slow, bool folded, int host);
  std::map<int, HostRanks> fill_hosts(const Placement& placement) const;
  void number_hosts(const Placement& placement);
  std::vector<int> colour_replicas(const Placement& placement, const FabricTiers& fabric) const;
  void assign(const std::vector<int>& colours);
  /// Colours of those that replica `d` shares a group with: who shares one with unlike ranks is unlike those who do
  /// not.
  void add_neighbours(const Placement& placement, int d, std::vector<int>& seen) const;
  void load_uplinks(const Placement& placement, const FabricTiers& fabric);

  Plan plan_;
  bool folded_ = true;
  int host_ = 0;
  int tensor_ranks_together_ = 1;
  std::vector<int> colour_;  // of each replica
  IndexedVector<RankClassId, RankCoordinates> representatives_;
  IndexedVector<RankClassId, int> multiplicities_;
  IndexedVector<RankClassId, double> highest_clocks_;
  IndexedVector<RankClassId, std::vector<Crossing>> crossings_[stream_count];
  std::vector<UplinkBundle> bundles_;
  std::vector<HostRanks> hosts_;
  IndexedVector<RankClassId, std::size_t> host_of_;
};

/// Classes of the ranks of a step; its ranks share their hosts where the job uses something of these.
RankClasses rank_classes(const Scenario& s, const Placement& placement, Folding folding);

}  // namespace clusterwright
