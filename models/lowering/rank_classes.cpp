// SPDX-License-Identifier: Apache-2.0
//
// Folding is colour refinement on replicas. A replica is one value of the `data` coordinate: its ranks in all stages
// and tensor positions. Its first colour tells how far apart its neighbouring stages are, how its groups lie over
// tapered tiers, the clocks of its stragglers, and the kinds of its nodes. A round then gives every replica a new
// colour, from its old one, the old colours of the replicas that it shares groups with, the loads of the tapered
// uplinks above it, and the kinds of its hosts. A round that adds no class is the last one.
//
// Invariant: ranks of different classes never join again, as the old colour is part of the new one; so the number of
// classes only grows, and there are at most as many rounds as replicas. At the end, ranks of one class cross uplinks
// with equal loads, and meet equally coloured replicas in every group.
//
// Example: 4 tensor ranks, 3 stages and 4 replicas in domains of 8, numbered tensor first, then stage, then replica.
//   replica 0   stages in domains 0 0 1   distances of next stages (last to first) near far far    colour A
//   replica 1   stages in domains 1 2 2   distances                                far near far    colour B
//   replica 2   as replica 0, colour A;  replica 3 as replica 1, colour B
// 2 colours x 3 stages = 6 classes of 8 ranks instead of 48 ranks. Now replica 2 holds a straggler: the colours are
// A B C B. With replicas 0 and 1, and 2 and 3, in one shard group each, round 1 tells 1 from 3, since one shares its
// group with A and the other with C: A B C D. Round 2 adds nothing.
//
// A slice is the part of a tensor group in one domain. Its ranks share a class; if some are slow, each clock of the
// slice has one, here one for the straggler and one for its three peers: 13 classes. They send, receive and reduce
// together. Alone, a peer could be ahead of the straggler from one collective of the tensor group to the next; since
// all ranks of a neighbouring slice wait for the straggler's partner in their own collectives, the step takes the same
// time. Stragglers at several places of tensor groups make the rings of all places wait for the slowest of them.
//
// Slices are numbered ((colour x stages + stage) x tensor + tensor position) / ranks of a slice, classes slice by
// slice. Source: Weisfeiler and Leman 1968, A reduction of a graph to a canonical form and an algebra arising during
// it.
#include "models/lowering/rank_classes.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "models/lowering/graph_loads.hpp"
#include "models/lowering/group_spread.hpp"
#include "models/lowering/interner.hpp"

namespace clusterwright {

namespace {

/// Distance from each stage of replica `d` to its next stage: -1 inside the domain, else the tier where they meet.
/// @param together  ranks of a tensor group that sit in one domain
std::vector<int> neighbour_distances(const Placement& placement, const FabricTiers& fabric, int d, int together) {
  const int stages = placement.plan().pipeline;
  std::vector<int> distances;
  for (int p = 0; p < stages && stages > 1; ++p)
    for (int t = 0; t < placement.plan().tensor; t += together) {
      const RankCoordinates a{t, d, p};
      const RankCoordinates b{t, d, (p + 1) % stages};
      const bool near = placement.domain(a) == placement.domain(b);
      distances.push_back(
          near ? -1 : static_cast<int>(fabric.meeting_tier(placement.accelerator(a), placement.accelerator(b))));
    }
  return distances;
}

}  // namespace

SlowRanks slow_ranks(const Cluster& cluster, const DomainBlocks& blocks) {
  SlowRanks out;
  for (const SlowAcceleratorSpec& slow : cluster.spec.slow) {
    const auto rank = blocks.rank(slow.accelerator);
    if (!rank) continue;
    const Watts limit = is_limited(slow, cluster) ? *slow.power_limit : Watts();
    const RankClock clock{slow.clock.value_or(1), slow.relative_clock.value_or(1), limit};
    if (clock != RankClock{}) out[*rank] = clock;
  }
  return out;
}

RankKinds rank_kinds(const Cluster& cluster) {
  RankKinds kinds;
  if (cluster.kinds() == 1) return kinds;
  for (int rank = 0; rank < cluster.spec.accelerators; ++rank)
    kinds.push_back(cluster.kind_of(cluster.blocks.accelerator(rank)));
  return kinds;
}

RankClasses::RankClasses(const Placement& placement, const FabricTiers& fabric, const SlowRanks& slow, bool folded,
                         const SharingWidths& sharing, const RankKinds& kinds)
    : plan_(placement.plan()),
      folded_(folded),
      sharing_(sharing),
      tensor_ranks_together_(folded ? std::min(plan_.tensor, placement.domain_size()) : 1),
      kind_by_rank_(kinds) {
  for (const int width : {sharing.host, sharing.pcie_switch})
    if (width > 0)  // ranks of one host: those of a block that ends inside a node, too
      tensor_ranks_together_ = std::gcd(std::gcd(tensor_ranks_together_, width), placement.blocks().used);
  add_clocks(placement, slow);
  order_.resize(static_cast<std::size_t>(plan_.gradient_ranks()));
  std::iota(order_.rbegin(), order_.rend(), 0);
  refine(placement, fabric);
  if (folded && !sharing.any() && count() > most_classes) merge(placement, fabric);
  for (const RankCoordinates& at : representatives_) clocks_.push_back(clock_of(at));
  for (const RankCoordinates& at : representatives_)
    if (!kinds.empty()) kinds_.push_back(kinds[static_cast<std::size_t>(placement.rank(at))]);
  if (sharing.host > 0) hosts_ = SharedHosts(fill_hosts(placement, sharing.host), count());
  if (sharing.pcie_switch > 0) switches_ = SharedHosts(fill_hosts(placement, sharing.pcie_switch), count());
}

std::vector<int> RankClasses::colours_by_place(const Placement& placement, const FabricTiers& fabric) const {
  std::vector<int> colours(order_.size());
  std::iota(colours.begin(), colours.end(), 0);
  if (!folded_) return colours;
  Interner<std::tuple<std::vector<int>, std::vector<int>, std::vector<RankClock>, std::vector<int>>> interner;
  for (int d = 0; d < plan_.gradient_ranks(); ++d)
    colours[static_cast<std::size_t>(d)] =
        interner.number({neighbour_distances(placement, fabric, d, tensor_ranks_together_),
                         group_spread(placement, fabric, d, tensor_ranks_together_), clocks_of_replica(d),
                         kinds_of_replica(placement, d)});
  return colours;
}

std::vector<int> RankClasses::colours_by_device(const Placement& placement) const {
  std::vector<int> colours;
  Interner<std::pair<std::vector<RankClock>, std::vector<int>>> interner;
  for (int d = 0; d < plan_.gradient_ranks(); ++d)
    colours.push_back(interner.number({clocks_of_replica(d), kinds_of_replica(placement, d)}));
  return colours;
}

void RankClasses::refine(const Placement& placement, const FabricTiers& fabric) {
  assign(merged_ ? colours_by_device(placement) : colours_by_place(placement, fabric));
  load_uplinks(placement, fabric);
  const bool groups =
      plan_.context > 1 || plan_.in_groups() || plan_.expert * plan_.expert_tensor > 1 || sharing_.any();
  for (std::size_t before = 0; folded_ && (has_taper(fabric) || groups) && before != count();) {
    before = count();
    if (!merged_ && !sharing_.any() && before > most_classes) return;  // too many already
    assign(colour_replicas(placement, fabric));
    load_uplinks(placement, fabric);
  }
}

void RankClasses::merge(const Placement& placement, const FabricTiers& fabric) {
  merged_ = true;
  std::vector<Seconds> way(order_.size());
  for (int d = 0; d < plan_.gradient_ranks(); ++d)
    for (int p = 0; p + 1 < plan_.pipeline; ++p) {
      const RankCoordinates a{0, d, p}, b{0, d, p + 1};
      if (placement.domain(a) != placement.domain(b))
        way[static_cast<std::size_t>(d)] += fabric.latency(placement.accelerator(a), placement.accelerator(b));
    }
  std::ranges::stable_sort(order_, {}, [&](int d) { return way[static_cast<std::size_t>(d)]; });
  refine(placement, fabric.distances());
}

RankClasses RankClasses::fold(const Placement& placement, const FabricTiers& fabric, const SlowRanks& slow,
                              const SharingWidths& sharing, const RankKinds& kinds) {
  return {placement, fabric, slow, true, sharing, kinds};
}

RankClasses RankClasses::unfold(const Placement& placement, const FabricTiers& fabric, const SlowRanks& slow,
                                const SharingWidths& sharing, const RankKinds& kinds) {
  return {placement, fabric, slow, false, sharing, kinds};
}

/// Ranks of each class by host, or by switch. @param width  accelerators of one
std::map<int, HostRanks> RankClasses::fill_hosts(const Placement& placement, int width) const {
  std::map<int, HostRanks> hosts;
  for (int p = 0; p < plan_.pipeline; ++p)
    for (int d = 0; d < plan_.gradient_ranks(); ++d)
      for (int t = 0; t < plan_.tensor; ++t) ++hosts[placement.node({t, d, p}, width)][class_of({t, d, p})];
  return hosts;
}

std::size_t RankClasses::place_index(const RankCoordinates& at) const {
  return static_cast<std::size_t>((at.data * plan_.pipeline + at.pipeline) * plan_.tensor + at.tensor);
}

void RankClasses::add_clocks(const Placement& placement, const SlowRanks& slow) {
  for (int d = 0; d < plan_.gradient_ranks() && !slow.empty(); ++d)
    for (int p = 0; p < plan_.pipeline; ++p)
      for (int t = 0; t < plan_.tensor; ++t)
        if (const auto found = slow.find(placement.rank({t, d, p})); found != slow.end())
          slow_[place_index({t, d, p})] = found->second;
}

RankClock RankClasses::clock_of(const RankCoordinates& at) const {
  const auto found = slow_.find(place_index(at));
  return found == slow_.end() ? RankClock{} : found->second;
}

/// Clocks of the ranks of a slice, ascending. @param at  its first rank
std::vector<RankClock> RankClasses::clocks_of_slice(RankCoordinates at) const {
  std::vector<RankClock> clocks;
  for (int i = 0; i < tensor_ranks_together_; ++i, ++at.tensor) clocks.push_back(clock_of(at));
  std::sort(clocks.begin(), clocks.end());
  return clocks;
}

/// Empty without stragglers. Which ranks of a slice are slow does not matter, as its classes do everything together.
std::vector<RankClock> RankClasses::clocks_of_replica(int d) const {
  std::vector<RankClock> clocks;
  const auto first = slow_.lower_bound(place_index({0, d, 0})), end = slow_.lower_bound(place_index({0, d + 1, 0}));
  for (int p = 0; p < plan_.pipeline && first != end; ++p)
    for (int t = 0; t < plan_.tensor; t += tensor_ranks_together_)
      for (const RankClock& clock : clocks_of_slice({t, d, p})) clocks.push_back(clock);
  return clocks;
}

/// Kinds of the nodes of the slices of a replica; empty where all nodes are alike.
std::vector<int> RankClasses::kinds_of_replica(const Placement& placement, int d) const {
  std::vector<int> kinds;
  for (int p = 0; p < plan_.pipeline && !kind_by_rank_.empty(); ++p)
    for (int t = 0; t < plan_.tensor; t += tensor_ranks_together_)
      kinds.push_back(kind_by_rank_[static_cast<std::size_t>(placement.rank({t, d, p}))]);
  return kinds;
}

/// Numbers the classes of all slices. @return number of classes
std::size_t RankClasses::number_slices() {
  const int colours = *std::max_element(colour_.begin(), colour_.end()) + 1;
  slices_.assign(static_cast<std::size_t>(colours * plan_.pipeline * plan_.tensor / tensor_ranks_together_), {});
  for (int d = 0; d < plan_.gradient_ranks(); ++d)
    for (int p = 0; p < plan_.pipeline; ++p)
      for (int t = 0; t < plan_.tensor; t += tensor_ranks_together_) {
        Slice& slice = slices_[slice_index({t, d, p})];
        if (!slice.clocks.empty()) continue;
        slice.clocks = slow_.empty() ? std::vector<RankClock>{{}} : clocks_of_slice({t, d, p});
        slice.clocks.erase(std::unique(slice.clocks.begin(), slice.clocks.end()), slice.clocks.end());
      }
  std::size_t next = 0;
  for (Slice& slice : slices_) {
    slice.first = RankClassId(next);
    next += slice.clocks.size();
  }
  return next;
}

void RankClasses::assign(const std::vector<int>& colours) {
  colour_ = colours;
  const std::size_t size = number_slices();
  representatives_.assign(size, {});
  multiplicities_.assign(size, 0);
  const int step = slow_.empty() ? tensor_ranks_together_ : 1;
  for (const int d : order_)
    for (int p = 0; p < plan_.pipeline; ++p)
      for (int t = plan_.tensor - step; t >= 0; t -= step) {
        const RankCoordinates at{t, d, p};
        representatives_[class_of(at)] = at;
        multiplicities_[class_of(at)] += step;
      }
}

std::size_t RankClasses::slice_index(const RankCoordinates& at) const {
  const int colour = colour_[static_cast<std::size_t>(at.data)];
  const int pair = colour * plan_.pipeline + at.pipeline;
  return static_cast<std::size_t>((pair * plan_.tensor + at.tensor) / tensor_ranks_together_);
}

RankClassId RankClasses::class_of(const RankCoordinates& at) const {
  const Slice& slice = slices_[slice_index(at)];
  if (slice.clocks.size() == 1) return slice.first;
  const auto place = std::lower_bound(slice.clocks.begin(), slice.clocks.end(), clock_of(at)) - slice.clocks.begin();
  return slice.first + place;
}

std::vector<RankClassId> RankClasses::classes_of_slice(RankClassId c) const {
  const Slice& slice = slices_[slice_index(representatives_[c])];
  std::vector<RankClassId> classes;
  for (std::size_t i = 0; i < slice.clocks.size(); ++i) classes.push_back(RankClassId(slice.first.value + i));
  return classes;
}

void RankClasses::load_uplinks(const Placement& placement, const FabricTiers& fabric) {
  share_uplinks(has_taper(fabric) ? uplink_loads(*this, placement, fabric) : UplinkLoads{});
}

void RankClasses::share_uplinks(const UplinkLoads& loads) {
  for (auto& stream : crossings_) stream.assign(count(), {});
  uplinks_.clear();
  using Signature = std::tuple<int, bool, int, BundleLoad>;
  Interner<Signature> signatures;
  for (const auto& [bundle, load] : loads) {
    const bool merges = folded_ && !bundle.is_link();  // links have been merged where their capacities are known
    const int number = signatures.number({bundle.tier, bundle.up, merges ? 0 : bundle.group, load});
    if (number < static_cast<int>(uplinks_.size())) continue;
    const UplinkId uplink = uplinks_.push_back(bundle);
    for (const auto& [key, amount] : load)
      crossings_[static_cast<std::size_t>(key.stream)][key.rank_class].push_back({uplink, amount});
  }
}

RankClasses RankClasses::on_graph(const Placement& placement, const Cluster& cluster) && {
  share_uplinks(*graph_loads(*this, placement, cluster));
  return std::move(*this);
}

RankClasses RankClasses::on_graph_beside(const std::vector<LaidStream>& others, const Placement& placement,
                                         const Cluster& cluster) && {
  share_uplinks(graph_loads_beside(others, *this, placement, cluster));
  return std::move(*this);
}

void RankClasses::add_neighbours(const Placement& placement, int d, std::vector<int>& seen) const {
  const auto add = [&](ReplicaGroup kind, int tensor) {
    for (const RankCoordinates& other : placement.members(kind, {tensor, d, 0}))
      seen.push_back(colour_[static_cast<std::size_t>(other.data)]);
  };
  for (const ReplicaGroup kind : {ReplicaGroup::context, ReplicaGroup::shard, ReplicaGroup::mirrors}) add(kind, 0);
  if (plan_.expert * plan_.expert_tensor == 1) return;
  for (int t = 0; t < plan_.tensor; ++t)
    for (const ReplicaGroup kind : {ReplicaGroup::experts, ReplicaGroup::expert_tensor, ReplicaGroup::expert_replicas})
      add(kind, t);
}

std::vector<int> RankClasses::colour_replicas(const Placement& placement, const FabricTiers& fabric) const {
  const UplinkLoads loads = has_taper(fabric) ? uplink_loads(*this, placement, fabric) : UplinkLoads{};
  const bool alike = slices_.size() == static_cast<std::size_t>(plan_.pipeline * plan_.tensor / tensor_ranks_together_);
  std::map<std::pair<int, int>, int> host_kind;  // by width and number
  Interner<HostRanks> hosts_seen;
  std::vector<int> widths;
  for (const int width : {sharing_.host, sharing_.pcie_switch})
    if (width > 0) widths.push_back(width);
  for (const int width : widths)
    for (const auto& [host, ranks] : fill_hosts(placement, width)) host_kind[{width, host}] = hosts_seen.number(ranks);
  std::map<UplinkBundle, int> signature;
  Interner<BundleLoad> loads_seen;
  for (const auto& [bundle, load] : loads) signature[bundle] = loads_seen.number(load);
  Interner<std::vector<int>> interner;
  std::vector<int> colours;
  for (int d = 0; d < plan_.gradient_ranks(); ++d) {
    std::vector<int> seen{colour_[static_cast<std::size_t>(d)]};
    if (!alike) add_neighbours(placement, d, seen);
    for (int p = 0; p < plan_.pipeline; ++p)
      for (int t = 0; t < plan_.tensor; t += tensor_ranks_together_) {
        const RankCoordinates at{t, d, p};
        for (const int width : widths) seen.push_back(host_kind.at({width, placement.node(at, width)}));
        for (std::size_t tier = 0; tier + 1 < fabric.tiers().size(); ++tier)
          for (const bool up : {true, false}) {
            const auto found =
                signature.find({static_cast<int>(tier), fabric.group_of(placement.accelerator(at), tier), up});
            seen.push_back(found == signature.end() ? -1 : found->second);
          }
      }
    colours.push_back(interner.number(seen));
  }
  return colours;
}

RankClasses RankClasses::in_step(bool whether) && {
  in_step_ = whether;
  return std::move(*this);
}

namespace {

/// Replicas beyond which those on the graph are told apart by distances alone.
constexpr int most_told_apart = 256;

/// Groups that tell replicas apart. On the graph a class runs at the pace of its slowest member, so it may hold
/// replicas that cross other uplinks; few replicas are told apart by these all the same.
FabricTiers telling_apart(const Scenario& s, const Placement& placement) {
  const bool few = placement.plan().gradient_ranks() <= most_told_apart;
  const bool nested = s.cluster.spec.fabric.kind == FabricKind::fat_tree && !s.cluster.spec.fabric.sites;
  return !uses_graph(s.cluster) || (few && nested) ? s.cluster.fabric : s.cluster.fabric.distances();
}

RankClasses make_classes(const Scenario& s, const Placement& placement, bool folded) {
  const SlowRanks slow = slow_ranks(s.cluster, placement.blocks());
  const SharingWidths sharing = sharing_widths(s);
  const FabricTiers fabric = telling_apart(s, placement);
  const RankKinds kinds = rank_kinds(s.cluster);
  RankClasses classes = folded ? RankClasses::fold(placement, fabric, slow, sharing, kinds)
                               : RankClasses::unfold(placement, fabric, slow, sharing, kinds);
  // Merged replicas cross uplinks that carry different loads: only the graph has the busiest of them.
  const bool on_graph = uses_graph(s.cluster) || (classes.merged() && has_taper(s.cluster.fabric));
  return on_graph ? std::move(classes).on_graph(placement, s.cluster) : classes;
}

}  // namespace

RankClasses rank_classes(const Scenario& s, const Placement& placement, Folding folding,
                         const std::vector<LaidStream>* others) {
  RankClasses classes = make_classes(s, placement, folding == Folding::folded);
  if (others) classes = std::move(classes).on_graph_beside(*others, placement, s.cluster);
  if (folding == Folding::folded) {
    const bool together = classes.tensor_ranks_together() == placement.plan().tensor;
    return std::move(classes).in_step(together);
  }
  const bool one_domain = placement.tensor_group().domains == 1;
  const bool healthy = slow_ranks(s.cluster, placement.blocks()).empty();
  return std::move(classes).in_step(folding == Folding::unfolded && healthy && one_domain);
}

bool folds_exactly(const Scenario& s, const Plan& plan) {
  const RankClasses classes = rank_classes(s, Placement(plan, s.cluster.blocks), Folding::folded);
  const bool meet_on_graph = uses_graph(s.cluster) && !classes.uplinks().empty();
  return !meet_on_graph && !classes.split_slices() && !classes.merged();
}

}  // namespace clusterwright
