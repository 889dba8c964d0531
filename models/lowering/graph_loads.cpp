// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/graph_loads.hpp"

#include <algorithm>
#include <any>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/kernels/collectives/collective_traffic.hpp"
#include "models/lowering/place_key.hpp"
#include "models/lowering/rank_classes.hpp"
#include "models/lowering/stream_traffic.hpp"
#include "topology/cluster/cluster_network.hpp"
#include "topology/routing/routed_network.hpp"

namespace clusterwright {

namespace {

/// Traffic that exceeds a capacity by less does not count: NICs have as much spare for the rounding of rates.
constexpr double rounding_spare = 1e-3;

/// Load of one stream on a link.
struct Line {
  std::size_t stream = 0;  // index of a LaidStream
  double load = 0;
  bool operator==(const Line&) const = default;
};

/// Links that several streams could want more of than they have.
class SharedLinks {
 public:
  SharedLinks(const std::vector<LaidStream>& streams, const Cluster& cluster)
      : streams_(streams), graph_(cluster.network().graph) {
    find();
    add_lines();
    merge();
    if (links_.size() > most_shared_links) keep_busiest();
  }

  /// Loads of the first `count` streams on the links that carry any of them.
  UplinkLoads loads(std::size_t count) const {
    UplinkLoads out;
    for (const Shared& shared : links_)
      for (const Line& line : shared.lines())
        if (line.stream < count)
          out[{UplinkBundle::of_graph, static_cast<int>(shared.link.value), true}][streams_[line.stream].key] = {
              1, line.load};
    return out;
  }

 private:
  struct Shared {
    LinkId link;
    const Line* begin = nullptr;
    std::size_t count = 0;

    std::span<const Line> lines() const { return {begin, count}; }
  };

  double capacity(LinkId link) const { return graph_.capacity(link).in(byte_per_second); }
  double wanted(const Line& line) const { return line.load * streams_[line.stream].peak.in(byte_per_second); }

  /// Links that carry more at peak than they can.
  void find() {
    LinkLoads sum(graph_.links(), 0.0);
    count_.assign(graph_.links(), 0);
    for (std::size_t s = 0; s < streams_.size(); ++s)
      for (const auto& [link, load] : streams_[s].loads) {
        sum[link] += wanted({s, load});
        ++count_[link];
      }
    for (const LinkId link : graph_.link_ids())
      if (sum[link] > 0 && sum[link] > (1 + rounding_spare) * capacity(link)) links_.push_back({link, nullptr, 0});
  }

  void add_lines() {
    std::size_t all = 0;
    for (const Shared& shared : links_) all += count_[shared.link];
    lines_.reserve(all);  // pointers into it stay
    IndexedVector<LinkId, std::size_t> place(graph_.links(), all);
    std::size_t next = 0;
    lines_.resize(all);
    for (Shared& shared : links_) {
      shared.begin = lines_.data() + next;
      place[shared.link] = next;
      next += count_[shared.link];
    }
    for (std::size_t s = 0; s < streams_.size(); ++s)
      for (const auto& [link, load] : streams_[s].loads)
        if (place[link] < all) {
          constexpr double resolution = 0x1p30;
          lines_[place[link]++] = {s, std::round(load * resolution) / resolution};
        }
    for (Shared& shared : links_) shared.count = count_[shared.link];
  }

  /// Lets the first link stand for all with the same capacity and loads.
  void merge() {
    std::unordered_map<std::uint64_t, const Shared*> first;  // by digest
    first.reserve(links_.size());
    std::vector<Shared> merged;
    for (const Shared& shared : links_) {
      const auto [same, fresh] = first.try_emplace(digest(shared), &shared);
      if (fresh || !same_load(*same->second, shared)) merged.push_back(shared);
    }
    links_ = std::move(merged);
  }

  bool same_load(const Shared& a, const Shared& b) const {
    return capacity(a.link) == capacity(b.link) && std::ranges::equal(a.lines(), b.lines());
  }

  std::uint64_t digest(const Shared& shared) const {
    std::uint64_t out = std::bit_cast<std::uint64_t>(capacity(shared.link));
    const auto mix = [&](std::uint64_t value) { out = (out ^ value) * 0x9E3779B97F4A7C15u + (out >> 29); };
    for (const Line& line : shared.lines()) {
      mix(line.stream);
      mix(std::bit_cast<std::uint64_t>(line.load));
    }
    return out;
  }

  enum Sense { own, alike, everything, senses };

  /// Seconds per byte on a link, by sense, for one of its lines.
  template <class Visit>
  void weigh(const Shared& shared, Visit visit) const {
    std::array<double, stream_count> of_stream{};
    double all = 0;
    for (const Line& line : shared.lines()) {
      of_stream[static_cast<std::size_t>(streams_[line.stream].key.stream)] += line.load / capacity(shared.link);
      all += wanted(line) / capacity(shared.link);
    }
    for (const Line& line : shared.lines())
      visit(line.stream,
            std::array<double, senses>{line.load / capacity(shared.link),
                                       of_stream[static_cast<std::size_t>(streams_[line.stream].key.stream)], all});
  }

  /// Keeps for each stream the link where it competes most, in each sense.
  void keep_busiest() {
    std::vector<std::array<std::pair<double, LinkId>, senses>> busiest(streams_.size());
    for (const Shared& shared : links_)
      weigh(shared, [&](std::size_t stream, const std::array<double, senses>& busy) {
        const std::vector<LinkId>& slowest = streams_[stream].slowest;
        if (!slowest.empty() && !std::ranges::binary_search(slowest, shared.link)) return;
        for (std::size_t sense = 0; sense < senses; ++sense)
          if (busy[sense] > busiest[stream][sense].first) busiest[stream][sense] = {busy[sense], shared.link};
      });
    std::set<LinkId> kept;
    for (const auto& of_stream : busiest)
      for (const auto& [busy, link] : of_stream)
        if (busy > 0) kept.insert(link);
    std::erase_if(links_, [&](const Shared& shared) { return !kept.contains(shared.link); });
  }

  const std::vector<LaidStream>& streams_;
  const NetworkGraph& graph_;
  std::vector<Shared> links_;
  IndexedVector<LinkId, std::uint32_t> count_;  // streams on each link
  std::vector<Line> lines_;                     // grouped by link
};

UplinkLoads own_loads(const std::vector<LaidStream>& streams, const Cluster& cluster) {
  return SharedLinks(streams, cluster).loads(streams.size());
}

double at_once(CollectiveOp op, Algorithm algorithm, const std::vector<Communicator>& groups, const Cluster& cluster) {
  const RoutedNetwork& network = cluster.network();
  const TrafficContext context{cluster, network.graph, network.torus_sides};
  double seconds = 0;
  for (const LinkLoads& loads :
       stage_loads(op, algorithm, groups, context, *network.routes, network.policy, network.groups))
    for (const BusiestLink& link : busiest_links(network.graph, loads, 1)) seconds += link.seconds;
  return seconds;
}

}  // namespace

bool uses_graph(const Cluster& cluster) {
  if (!cluster.has_network() || cluster.domains() < 2) return false;
  const FabricSpec& fabric = cluster.spec.fabric;
  if (routing_of(fabric) != Routing::spray || !fabric.faults.empty() || fabric.sites || cluster.has_files_on_network())
    return true;
  return fabric.kind != FabricKind::fat_tree && fabric.kind != FabricKind::torus;
}

std::shared_ptr<const UplinkLoads> graph_loads(const RankClasses& classes, const Placement& placement,
                                               const Cluster& cluster) {
  using Answer = std::shared_ptr<const UplinkLoads>;
  std::vector<int> key = classes_of(classes, placement);
  key.push_back(placement.plan().virtual_pipeline > 1);  // then messages go round the ends of the pipeline, too
  return std::any_cast<Answer>(cluster.routed->remembered(key, [&]() -> std::any {
    return Answer(std::make_shared<UplinkLoads>(own_loads(lay_streams(classes, placement, cluster), cluster)));
  }));
}

UplinkLoads graph_loads_beside(const std::vector<LaidStream>& others, const RankClasses& classes,
                               const Placement& placement, const Cluster& cluster) {
  std::vector<LaidStream> streams = lay_streams(classes, placement, cluster);
  const std::size_t own = streams.size();
  streams.insert(streams.end(), others.begin(), others.end());
  return SharedLinks(streams, cluster).loads(own);
}

double seconds_at_once(ReplicaGroup kind, CollectiveOp op, Algorithm algorithm, const Placement& placement,
                       const Cluster& cluster) {
  std::vector<int> key = places_of(placement);
  for (const int part : {static_cast<int>(kind), static_cast<int>(op), static_cast<int>(algorithm), -1})
    key.push_back(part);
  return std::any_cast<double>(cluster.routed->remembered(key, [&]() -> std::any {
    std::vector<Communicator> groups;
    for (int p = 0; p < placement.plan().pipeline; ++p)
      for (const StreamGroup& group : stage_groups(placement, p, 1)) {
        if (group.stream != stream_of(kind)) continue;
        Communicator& members = groups.emplace_back();
        for (const RankCoordinates& at : group.members) members.push_back(placement.accelerator(at));
      }
    return at_once(op, algorithm, groups, cluster);
  }));
}

}  // namespace clusterwright
