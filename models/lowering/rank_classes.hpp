// SPDX-License-Identifier: Apache-2.0
/// Classes of ranks that run alike, and their load on the parts of the fabric that they share.
#pragma once

#include <map>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/lowering/shared_hosts.hpp"
#include "models/lowering/uplink_loads.hpp"
#include "models/plan/placement.hpp"
#include "models/plan/plan.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/fabrics/fabric_tiers.hpp"

namespace clusterwright {

struct LaidStream;

enum class Folding {
  folded,
  unfolded,  ///< tensor groups whose ranks are alike take their collectives in step: see in_step()
  apart,     ///< every rank meets its partners in every collective
};

/// Clock of a rank over that of the others.
struct RankClock {
  double highest = 1;   ///< without a power limit
  double relative = 1;  ///< under the same load and power limit
  Watts limit = {};     ///< power limit of its accelerator, where it is below that of the others; else 0
  auto operator<=>(const RankClock&) const = default;
};

/// Clock of each rank that is slower than the others.
using SlowRanks = std::map<int, RankClock>;

/// Stragglers of a cluster among the first `ranks` accelerators.
SlowRanks slow_ranks(const Cluster& cluster, const DomainBlocks& blocks);

/// Kind of the node of each rank; empty where all nodes are of one kind.
using RankKinds = std::vector<int>;

RankKinds rank_kinds(const Cluster& cluster);

/// Partition of ranks. Ranks of one class run the same program at the same time over equally loaded links.
///
/// Folding: ranks of a tensor group in one domain (a slice) are alike. So are replicas whose pipeline neighbours sit
/// equally far away and whose tapered uplinks carry the same traffic; rank_classes.cpp explains the refinement.
/// Stragglers split the replicas that they are in; only the slice that holds them has a class for each clock. The
/// classes of such a slice send, receive and reduce together, as its collectives keep it in step to a few kernels.
/// Unfolding gives each rank a class of its own.
///
/// Ranks on nodes of different kinds are of different classes: the kinds of its stages are part of the first colour of
/// a replica. All accelerators of a domain are of one kind.
///
/// Where that makes more than most_classes, as with scattered nodes, replicas that differ only in their places share
/// classes, and the one with the longest way along its stages stands for them (merged).
///
/// Where ranks share their hosts (storage, host memory) or switches of PCI Express, ranks of one class also sit on
/// hosts and switches that hold equally many ranks of every class.
class RankClasses {
 public:
  /// Classes beyond which replicas that differ only in their places are merged.
  static constexpr std::size_t most_classes = 256;

  /// @param kinds  kind of node of each rank; empty if all are alike
  static RankClasses fold(const Placement& placement, const FabricTiers& fabric, const SlowRanks& slow = {},
                          const SharingWidths& sharing = {}, const RankKinds& kinds = {});
  static RankClasses unfold(const Placement& placement, const FabricTiers& fabric, const SlowRanks& slow = {},
                            const SharingWidths& sharing = {}, const RankKinds& kinds = {});
  /// The same classes over the links of the routed graph (graph_loads.hpp).
  RankClasses on_graph(const Placement& placement, const Cluster& cluster) &&;
  RankClasses on_graph_beside(const std::vector<LaidStream>& others, const Placement& placement,
                              const Cluster& cluster) &&;
  /// The same classes, with tensor groups in step or not.
  RankClasses in_step(bool whether) &&;

  std::size_t count() const { return representatives_.size(); }
  IdRange<RankClassId> ids() const { return representatives_.ids(); }
  const RankCoordinates& representative(RankClassId c) const { return representatives_[c]; }
  int multiplicity(RankClassId c) const { return multiplicities_[c]; }
  const RankClock& clock(RankClassId c) const { return clocks_[c]; }
  /// Kind of the nodes of a class.
  int kind(RankClassId c) const { return kind_by_rank_.empty() ? 0 : kinds_[c]; }
  RankClassId class_of(const RankCoordinates& at) const;
  /// First class of a slice, which names it: the slice of a rank, or that of a class.
  RankClassId slice_of(const RankCoordinates& at) const { return slices_[slice_index(at)].first; }
  RankClassId slice_of(RankClassId c) const { return slice_of(representatives_[c]); }
  /// All classes of the slice that `c` belongs to: one, or with stragglers one for each clock.
  std::vector<RankClassId> classes_of_slice(RankClassId c) const;
  /// Whether any slice has more than one class.
  bool split_slices() const { return count() > slices_.size(); }
  bool folded() const { return folded_; }
  bool merged() const { return merged_; }
  /// Number of neighbours in a tensor group that share a class: those in one domain, under the same switches; 1 when
  /// unfolded.
  int tensor_ranks_together() const { return tensor_ranks_together_; }
  /// Whether the tensor group of class `c` counts as doing the same at the same time, so that its collectives are each
  /// rank's own. True where its ranks share a class. In an unfolded step without stragglers it is assumed, and must be
  /// checked with the result (simulate_step does).
  bool in_step(RankClassId c) const { return in_step_ && slices_[slice_index(representatives_[c])].clocks.size() == 1; }

  /// Uplinks that a stream of class `c` crosses, with the load that it puts on one bundle of each.
  struct Crossing {
    UplinkId uplink;
    StreamLoad load;
  };
  const std::vector<Crossing>& crossings(Stream stream, RankClassId c) const {
    return crossings_[static_cast<std::size_t>(stream)][c];
  }

  /// Bundles above tapered tiers or links of the graph: one for all with the same load.
  const IndexedVector<UplinkId, UplinkBundle>& uplinks() const { return uplinks_; }

  /// Hosts, where ranks share something of them; else empty.
  const SharedHosts& hosts() const { return hosts_; }
  /// Switches of PCI Express, where ranks share their uplinks; else empty.
  const SharedHosts& switches() const { return switches_; }

 private:
  /// Neighbours in one tensor group that share a class, or have one for each clock.
  struct Slice {
    RankClassId first;
    std::vector<RankClock> clocks;  ///< clocks of its ranks, each once, ascending
  };

  RankClasses(const Placement& placement, const FabricTiers& fabric, const SlowRanks& slow, bool folded,
              const SharingWidths& sharing, const RankKinds& kinds);
  std::size_t slice_index(const RankCoordinates& at) const;
  std::vector<RankClock> clocks_of_slice(RankCoordinates at) const;
  RankClock clock_of(const RankCoordinates& at) const;
  std::size_t place_index(const RankCoordinates& at) const;
  void add_clocks(const Placement& placement, const SlowRanks& slow);
  std::vector<RankClock> clocks_of_replica(int d) const;
  std::vector<int> kinds_of_replica(const Placement& placement, int d) const;
  std::size_t number_slices();
  std::vector<int> colours_by_place(const Placement& placement, const FabricTiers& fabric) const;
  std::vector<int> colours_by_device(const Placement& placement) const;
  /// Parts replicas as far as `fabric` tells them apart.
  void refine(const Placement& placement, const FabricTiers& fabric);
  void merge(const Placement& placement, const FabricTiers& fabric);
  std::map<int, HostRanks> fill_hosts(const Placement& placement, int width) const;
  std::vector<int> colour_replicas(const Placement& placement, const FabricTiers& fabric) const;
  void assign(const std::vector<int>& colours);
  /// Appends the colours of the replicas that replica `d` shares a group with.
  void add_neighbours(const Placement& placement, int d, std::vector<int>& seen) const;
  void load_uplinks(const Placement& placement, const FabricTiers& fabric);
  void share_uplinks(const UplinkLoads& loads);

  Plan plan_;
  bool folded_ = true;
  bool merged_ = false;
  SharingWidths sharing_;
  int tensor_ranks_together_ = 1;
  bool in_step_ = false;
  std::vector<int> colour_;                // by replica
  std::vector<int> order_;                 // replicas; the last one of a colour represents it
  std::vector<Slice> slices_;              // by colour, stage and place in the tensor group
  std::map<std::size_t, RankClock> slow_;  // clocks below 1 by place_index
  IndexedVector<RankClassId, RankCoordinates> representatives_;
  IndexedVector<RankClassId, int> multiplicities_;
  IndexedVector<RankClassId, RankClock> clocks_;
  RankKinds kind_by_rank_;  // empty where all nodes are alike
  IndexedVector<RankClassId, int> kinds_;
  IndexedVector<RankClassId, std::vector<Crossing>> crossings_[stream_count];
  IndexedVector<UplinkId, UplinkBundle> uplinks_;
  SharedHosts hosts_, switches_;
};

/// Classes of the ranks of a step; its ranks share their hosts where the job uses something of these.
/// @param others  streams of another job on the same network; nullptr: the job is alone
RankClasses rank_classes(const Scenario& s, const Placement& placement, Folding folding,
                         const std::vector<LaidStream>* others = nullptr);

/// Whether the folded step has the times of the unfolded one: not where classes run at the pace of their slowest
/// members, as on links of the routed graph that can be short, around stragglers, and where replicas are merged.
bool folds_exactly(const Scenario& s, const Plan& plan);

}  // namespace clusterwright
