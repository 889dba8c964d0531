// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/stream_traffic.hpp"

#include <algorithm>
#include <any>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "models/lowering/place_key.hpp"
#include "models/lowering/rank_classes.hpp"
#include "models/lowering/stream_demands.hpp"
#include "topology/cluster/cluster_network.hpp"
#include "topology/routing/hashed_paths.hpp"
#include "topology/routing/routed_network.hpp"
#include "topology/routing/valiant.hpp"

namespace clusterwright {

namespace {

using SparseLoads = std::vector<std::pair<LinkId, double>>;

void add(const SparseLoads& loads, double share, LinkLoads& to) {
  for (const auto& [link, load] : loads) to[link] += share * load;
}

/// Whether a link ends at a file server, which no ports of rank classes stand for.
bool is_of_file_server(LinkId link, const Cluster& cluster) {
  const NetworkGraph& graph = cluster.network().graph;
  const NodeId first(cluster.machine_nodes());
  const auto serves = [&](VertexId v) { return graph.is_endpoint(v) && !(graph.node_of(v) < first); };
  return serves(graph.from(link)) || serves(graph.to(link));
}

/// Loads of one stream after the other. A stream of one rank touches a few of all links, and there may be thousands of
/// ranks.
class GatheredLoads {
 public:
  explicit GatheredLoads(std::size_t links) : sum_(links, 0.0), noted_(links, -1), is_touched_(links, 0) {}

  void add(LinkId link, double bytes) {
    sum_[link] += bytes;
    if (is_touched_[link] != 0) return;
    is_touched_[link] = 1;
    touched_.push_back(link);
  }
  /// @return whether the link was last noted for another replica, or for none since clear()
  bool note(LinkId link, int replica) { return std::exchange(noted_[link], replica) != replica; }

  const LinkLoads& sum() const { return sum_; }
  /// Links with a load, ascending.
  const std::vector<LinkId>& touched() {
    if (touched_.size() < sum_.size() / 16) {
      std::ranges::sort(touched_);
      return touched_;
    }
    touched_.clear();
    for (const LinkId link : is_touched_.ids())
      if (is_touched_[link] != 0) touched_.push_back(link);
    return touched_;
  }
  void clear() {
    for (const LinkId link : touched_) {
      sum_[link] = 0;
      noted_[link] = -1;
      is_touched_[link] = 0;
    }
    touched_.clear();
  }

 private:
  LinkLoads sum_;
  IndexedVector<LinkId, int> noted_;  // by link the replica that it was noted for last
  IndexedVector<LinkId, char> is_touched_;
  std::vector<LinkId> touched_;
};

/// One stream of one rank class on hashed paths.
struct HashedStream {
  LaidStream laid;  ///< without its slowest links
  /// Links of messages, with the replica of each; a link comes once or more.
  std::vector<std::pair<int, LinkId>> of_replicas;
};
using HashedStreams = std::vector<HashedStream>;  // ascending by key

/// Puts demands of messages that end at one switch side by side: its next links are then looked up once.
void sort_by_end(StreamDemands& stream) {
  std::vector<std::size_t> order(stream.demands.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return stream.demands[i].to; });
  StreamDemands sorted{{}, {}, stream.peak};
  for (const std::size_t i : order) {
    sorted.demands.push_back(stream.demands[i]);
    sorted.replicas.push_back(stream.replicas[i]);
  }
  stream = std::move(sorted);
}
void sort_by_end(StreamDemandsByClass& streams) {
  for (auto& [key, stream] : streams)
    if (!stream.replicas.empty()) sort_by_end(stream);
}

/// Lays streams by one policy.
class StreamLayer {
 public:
  /// @param all_links  those of NICs too
  StreamLayer(const Cluster& cluster, bool all_links)
      : network_(cluster.network()), all_links_(all_links), kept_(network_.graph.links(), true) {
    const NetworkGraph& graph = network_.graph;
    if (!cluster.spec.fabric.faults.empty()) return;  // a NIC may stand in for another
    for (const LinkId link : graph.link_ids()) {
      const bool nic = graph.is_endpoint(graph.from(link)) || graph.is_endpoint(graph.to(link));
      if (nic && graph.capacity(link) >= cluster.nic_bandwidth) kept_[link] = is_of_file_server(link, cluster);
    }
  }

  std::vector<LaidStream> lay(StreamDemandsByClass demands) const {
    const Routing routing = network_.policy.routing;
    if (routing == Routing::hash) {
      sort_by_end(demands);
      const HashedStreams streams = lay_hashed(demands);
      return joined({streams});
    }
    if (routing != Routing::adaptive) return lay_by(demands, routing);
    return mixed(lay_by(demands, Routing::spray), lay_by(demands, Routing::valiant));
  }

  /// @param demands  as sort_by_end leaves them
  HashedStreams lay_hashed(const StreamDemandsByClass& demands) const {
    HashedPaths paths(network_.graph, *network_.routes, network_.policy.queue_pairs, network_.policy.seed);
    HashedStreams out;
    GatheredLoads loads(network_.graph.links());
    for (const auto& [key, stream] : demands) {
      HashedStream& hashed = out.emplace_back();
      if (stream.replicas.empty())
        paths.lay(stream.demands, [&](LinkId link, double bytes) {
          if (counts(link)) loads.add(link, bytes);
        });
      else
        lay_messages(stream, paths, loads, hashed.of_replicas);
      hashed.laid = {key, stream.peak, sparse(loads.sum(), loads.touched())};
      loads.clear();
    }
    return out;
  }

  /// Streams of several parts, all different, in the order of their keys.
  std::vector<LaidStream> joined(const std::vector<std::reference_wrapper<const HashedStreams>>& parts) const {
    std::vector<const HashedStream*> streams;
    for (const HashedStreams& part : parts)
      for (const HashedStream& stream : part) streams.push_back(&stream);
    std::ranges::sort(streams, {}, [](const HashedStream* stream) { return stream->laid.key; });
    std::vector<LaidStream> out;
    for (const HashedStream* stream : streams) out.push_back(stream->laid);
    mark_slowest(streams, out);
    return out;
  }

 private:
  void lay_messages(const StreamDemands& stream, HashedPaths& paths, GatheredLoads& loads,
                    std::vector<std::pair<int, LinkId>>& links) const {
    const double share = 1.0 / network_.policy.queue_pairs;
    for (std::size_t i = 0; i < stream.demands.size(); ++i) {
      const int replica = stream.replicas[i];
      paths.walk(stream.demands[i], [&, bytes = share * stream.demands[i].bytes](LinkId link) {
        if (!counts(link)) return;
        loads.add(link, bytes);
        if (kept_[link] && loads.note(link, replica)) links.emplace_back(replica, link);
      });
    }
  }
  bool counts(LinkId link) const { return all_links_ || kept_[link]; }

  /// @param laid  parallel to `streams`
  void mark_slowest(const std::vector<const HashedStream*>& streams, std::vector<LaidStream>& laid) const {
    std::map<int, double> slowness;  // by replica: seconds per byte along all stages
    for (const Stream stream : {Stream::forward, Stream::backward}) {
      const LinkLoads all = total(laid, stream);
      for (const HashedStream* part : streams)
        if (part->laid.key.stream == stream)
          for (const auto& [replica, seconds] : slowest_links(part->of_replicas, all)) slowness[replica] += seconds;
    }
    if (slowness.empty()) return;
    const int slowest = std::ranges::max_element(slowness, {}, [](const auto& entry) { return entry.second; })->first;
    for (std::size_t s = 0; s < streams.size(); ++s) {
      for (const auto& [replica, link] : streams[s]->of_replicas)
        if (replica == slowest) laid[s].slowest.push_back(link);
      std::ranges::sort(laid[s].slowest);
    }
  }

  std::map<int, double> slowest_links(const std::vector<std::pair<int, LinkId>>& links, const LinkLoads& all) const {
    std::map<int, double> out;
    double* worst = nullptr;
    int last = -1;
    for (const auto& [replica, link] : links) {  // mostly many of one replica in a row
      if (replica != last) worst = &out[last = replica];
      *worst = std::max(*worst, all[link] / network_.graph.capacity(link).in(byte_per_second));
    }
    return out;
  }

  std::vector<LaidStream> lay_by(const StreamDemandsByClass& demands, Routing routing) const {
    std::vector<LaidStream> out;
    for (const auto& [key, stream] : demands) {
      const LinkLoads loads =
          link_loads(network_.graph, *network_.routes, stream.demands, {routing, 1, 0}, network_.groups);
      out.push_back({key, stream.peak, sparse(loads)});
    }
    return out;
  }

  /// All but the links of NICs of a healthy network: the ports of rank classes stand for these.
  SparseLoads sparse(const LinkLoads& loads) const { return sparse(loads, loads.ids()); }
  /// @param links  ascending, all that have a load
  template <class LinkIds>
  SparseLoads sparse(const LinkLoads& loads, const LinkIds& links) const {
    SparseLoads out;
    for (const LinkId link : links)
      if (loads[link] > 0 && counts(link)) out.emplace_back(link, loads[link]);
    return out;
  }

  /// Sum over the classes of one stream, without the links of NICs, which no path avoids.
  LinkLoads total(const std::vector<LaidStream>& laid, Stream stream) const {
    LinkLoads out(network_.graph.links(), 0.0);
    for (const LaidStream& part : laid)
      if (part.key.stream == stream) add(part.loads, 1, out);
    for (const LinkId link : out.ids())
      if (!kept_[link]) out[link] = 0;
    return out;
  }

  std::vector<LaidStream> mixed(const std::vector<LaidStream>& direct, const std::vector<LaidStream>& diverted) const {
    std::map<Stream, double> shares;
    for (const LaidStream& part : direct)
      if (const auto [share, fresh] = shares.try_emplace(part.key.stream); fresh)
        share->second =
            least_busy_share(network_.graph, total(direct, part.key.stream), total(diverted, part.key.stream));
    std::vector<LaidStream> out;
    for (std::size_t i = 0; i < direct.size(); ++i) {
      LinkLoads loads(network_.graph.links(), 0.0);
      const double share = shares.at(direct[i].key.stream);
      add(direct[i].loads, share, loads);
      add(diverted[i].loads, 1 - share, loads);
      out.push_back({direct[i].key, direct[i].peak, sparse(loads)});
    }
    return out;
  }

  const RoutedNetwork& network_;
  bool all_links_;
  IndexedVector<LinkId, char> kept_;
};

/// Hashed streams of one kind, remembered by the cluster: plans that differ in the chunks of a stage share those inside
/// the pipeline, and draws of paths share what is to be laid.
std::shared_ptr<const HashedStreams> remembered(
    const StreamLayer& layer, StreamDemandsByClass (*list)(const RankClasses&, const Placement&, const Cluster&),
    int kind, const RankClasses& classes, const Placement& placement, const Cluster& cluster) {
  using Demands = std::shared_ptr<const StreamDemandsByClass>;
  using Answer = std::shared_ptr<const HashedStreams>;
  std::vector<int> key = classes_of(classes, placement);
  const auto listed = [&]() -> std::any {
    StreamDemandsByClass demands = list(classes, placement, cluster);
    sort_by_end(demands);
    return Demands(std::make_shared<StreamDemandsByClass>(std::move(demands)));
  };
  key.push_back(kind - 2);
  const auto demands = std::any_cast<Demands>(cluster.routed->remembered_of_cables(key, listed));
  key.back() = kind;
  return std::any_cast<Answer>(cluster.routed->remembered(
      key, [&]() -> std::any { return Answer(std::make_shared<HashedStreams>(layer.lay_hashed(*demands))); }));
}

}  // namespace

std::vector<LaidStream> lay_streams(const RankClasses& classes, const Placement& placement, const Cluster& cluster) {
  const StreamLayer layer(cluster, false);
  const bool round_ends = placement.plan().virtual_pipeline > 1;
  if (cluster.network().policy.routing != Routing::hash) {
    StreamDemandsByClass demands = demands_inside(classes, placement, cluster);
    if (round_ends) demands.merge(demands_round_ends(classes, placement, cluster));
    return layer.lay(std::move(demands));
  }
  constexpr int inside = -2, round = -3;  // in keys of remembered answers
  const auto streams = remembered(layer, demands_inside, inside, classes, placement, cluster);
  if (!round_ends) return layer.joined({*streams});
  const auto more = remembered(layer, demands_round_ends, round, classes, placement, cluster);
  return layer.joined({*streams, *more});
}

std::vector<LaidStream> lay_on_all_links(const std::vector<ChainTraffic>& chains, const RankClasses& classes,
                                         const Placement& placement, const Cluster& cluster) {
  return StreamLayer(cluster, true).lay(demands_of(chains, classes, placement, cluster));
}

}  // namespace clusterwright
