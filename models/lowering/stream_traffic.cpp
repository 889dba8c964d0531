// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/stream_traffic.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "models/kernels/collectives/collective_traffic.hpp"
#include "models/lowering/rank_classes.hpp"
#include "sim/diagnostic.hpp"
#include "topology/routing/hashed_paths.hpp"
#include "topology/routing/routed_network.hpp"
#include "topology/routing/valiant.hpp"

namespace clusterwright {

namespace {

/// Demands of one stream of one class, and what one of its transfers can send at most.
struct StreamDemands {
  std::vector<Demand> demands;
  std::vector<int> replicas;  // parallel to the demands of messages: replica of the sender
  BytesPerSecond peak;
};

/// Demands of a step by stream and class.
class DemandLister {
 public:
  DemandLister(const RankClasses& classes, const Placement& placement, const Cluster& cluster)
      : classes_(classes),
        placement_(placement),
        cluster_(cluster),
        context_{cluster, cluster.network().graph, cluster.network().torus_sides} {}

  /// Those streams alone, among them those that load ports only.
  std::map<ClassStream, StreamDemands> list(const std::vector<ChainTraffic>& chains) {
    wanted_.emplace();
    for (const ChainTraffic& chain : chains)
      for (const RankClassId c : chain.classes)
        if (chain.share > 0) wanted_->insert({chain.stream, c});
    for (int p = 0; p < placement_.plan().pipeline; ++p)
      for (const StreamGroup& group : port_groups(placement_, p)) add_group(group);
    return list();
  }

  std::map<ClassStream, StreamDemands> list() {
    const Plan& plan = placement_.plan();
    for (int p = 0; p < plan.pipeline; ++p) {
      for (int d = 0; d < plan.gradient_ranks(); ++d)
        for (int t = 0; t < plan.tensor; ++t) add_messages({t, d, p});
      for (const StreamGroup& group : stage_groups(placement_, p, 1)) add_group(group);
    }
    return std::move(demands_);
  }

 private:
  StreamDemands& at(Stream stream, const RankCoordinates& rank, int channels) {
    StreamDemands& out = demands_[{stream, classes_.slice_of(rank)}];
    out.peak = channels * cluster_.network_per_accelerator();
    return out;
  }

  void add_messages(const RankCoordinates& from) {
    for (const StageMessage& message : stage_messages(placement_.plan(), from)) {
      if (placement_.domain(from) == placement_.domain(message.to) || !wants(message.stream, from)) continue;
      StreamDemands& out = at(message.stream, from, 1);
      append(out.demands, message_traffic(placement_.accelerator(from), placement_.accelerator(message.to), context_));
      out.replicas.resize(out.demands.size(), from.data);
    }
  }

  bool wants(Stream stream, const RankCoordinates& at) const {
    return !wanted_ || wanted_->contains({stream, classes_.slice_of(at)});
  }

  void add_group(const StreamGroup& group) {
    if (!wants(group.stream, group.members.front())) return;
    Communicator members;
    for (const RankCoordinates& at : group.members) members.push_back(placement_.accelerator(at));
    const bool exchange = group.stream == Stream::experts;
    const auto stages = exchange
                            ? collective_traffic(CollectiveOp::all_to_all, Algorithm::rail_aligned, members, context_)
                            : ring_stages(group.stream, members);
    if (stages.empty()) return;
    const int channels = exchange ? 1 : channels_of(group);
    StreamDemands& out = at(group.stream, group.members.front(), channels);
    for (const TrafficStage& stage : stages) {
      append(out.demands, stage.demands);
      for (const TrafficStage::Exchange& pairs : stage.exchanges) append(out.demands, pairs);
    }
  }

  std::vector<TrafficStage> ring_stages(Stream stream, const Communicator& members) const {
    const bool neighbours_alone = stream == Stream::context_ring || stream == Stream::stage_pairs;
    if (wanted_ && !context_.torus_sides.empty() && cluster_.node_accelerators == 1 && !neighbours_alone) try {
        return collective_traffic(CollectiveOp::all_gather, Algorithm::torus, members, context_);
      } catch (const ConfigError&) {  // no block
      }
    return collective_traffic(CollectiveOp::all_gather, Algorithm::ring, members, context_);
  }

  /// Members in the first domain, whose NICs a ring leaves it through.
  int channels_of(const StreamGroup& group) const {
    return static_cast<int>(std::count_if(group.members.begin(), group.members.end(), [&](const auto& member) {
      return placement_.domain(member) == placement_.domain(group.members.front());
    }));
  }

  static void append(std::vector<Demand>& to, const std::vector<Demand>& more) {
    to.insert(to.end(), more.begin(), more.end());
  }
  static void append(std::vector<Demand>& to, const TrafficStage::Exchange& pairs) {
    for (const VertexId from : pairs.members)
      for (const VertexId end : pairs.members)
        if (from != end) to.push_back({from, end, pairs.bytes});
  }

  const RankClasses& classes_;
  const Placement& placement_;
  const Cluster& cluster_;
  TrafficContext context_;
  std::optional<std::set<ClassStream>> wanted_;  // nothing: all that share links
  std::map<ClassStream, StreamDemands> demands_;
};

using SparseLoads = std::vector<std::pair<LinkId, double>>;

void add(const SparseLoads& loads, double share, LinkLoads& to) {
  for (const auto& [link, load] : loads) to[link] += share * load;
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
      if (nic && graph.capacity(link) >= cluster.nic_bandwidth) kept_[link] = false;
    }
  }

  std::vector<LaidStream> lay(const std::map<ClassStream, StreamDemands>& demands) {
    const Routing routing = network_.policy.routing;
    if (routing == Routing::hash) return lay_hashed(demands);
    if (routing != Routing::adaptive) return lay_by(demands, routing);
    return mixed(lay_by(demands, Routing::spray), lay_by(demands, Routing::valiant));
  }

 private:
  std::vector<LaidStream> lay_hashed(const std::map<ClassStream, StreamDemands>& demands) const {
    HashedPaths paths(network_.graph, *network_.routes, network_.policy.queue_pairs, network_.policy.seed);
    std::vector<LaidStream> out;
    MessagePaths messages;
    LinkLoads loads(network_.graph.links(), 0.0);
    for (const auto& [key, stream] : demands) {
      if (stream.replicas.empty())
        paths.lay(stream.demands, loads);
      else
        lay_messages(stream, paths, loads, messages.emplace_back());
      out.push_back({key, stream.peak, sparse(loads)});
      std::fill(loads.begin(), loads.end(), 0.0);
    }
    mark_slowest(messages, out);
    return out;
  }

  /// Links of the messages of one stream of one class, with the replica of each. The first of `messages` are those of
  /// the first streams, as messages come first among streams.
  using MessagePaths = std::vector<std::vector<std::pair<int, LinkId>>>;

  void lay_messages(const StreamDemands& stream, HashedPaths& paths, LinkLoads& loads,
                    std::vector<std::pair<int, LinkId>>& links) const {
    const double share = 1.0 / network_.policy.queue_pairs;
    std::vector<std::size_t> order(stream.demands.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // Neighbours share switches, whose next links are then looked up once.
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return stream.demands[i].to; });
    IndexedVector<LinkId, int> noted(network_.graph.links(), -1);  // replica that a link was noted for last
    for (const std::size_t i : order) {
      const int replica = stream.replicas[i];
      paths.walk(stream.demands[i], [&, bytes = share * stream.demands[i].bytes](LinkId link) {
        loads[link] += bytes;
        if (!kept_[link] || noted[link] == replica) return;
        noted[link] = replica;
        links.emplace_back(replica, link);
      });
    }
  }

  void mark_slowest(const MessagePaths& messages, std::vector<LaidStream>& laid) const {
    std::map<int, double> slowness;  // by replica: seconds per byte along all stages
    for (const Stream stream : {Stream::forward, Stream::backward}) {
      const LinkLoads all = total(laid, stream);
      for (std::size_t s = 0; s < messages.size(); ++s)
        if (laid[s].key.stream == stream)
          for (const auto& [replica, seconds] : slowest_links(messages[s], all)) slowness[replica] += seconds;
    }
    if (slowness.empty()) return;
    const int slowest = std::ranges::max_element(slowness, {}, [](const auto& entry) { return entry.second; })->first;
    for (std::size_t s = 0; s < messages.size(); ++s) {
      for (const auto& [replica, link] : messages[s])
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

  std::vector<LaidStream> lay_by(const std::map<ClassStream, StreamDemands>& demands, Routing routing) const {
    std::vector<LaidStream> out;
    for (const auto& [key, stream] : demands) {
      const LinkLoads loads =
          link_loads(network_.graph, *network_.routes, stream.demands, {routing, 1, 0}, network_.groups);
      out.push_back({key, stream.peak, sparse(loads)});
    }
    return out;
  }

  /// All but the links of NICs of a healthy network: the ports of rank classes stand for these.
  SparseLoads sparse(const LinkLoads& loads) const {
    SparseLoads out;
    for (const LinkId link : loads.ids())
      if (loads[link] > 0 && (all_links_ || kept_[link])) out.emplace_back(link, loads[link]);
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

}  // namespace

std::vector<LaidStream> lay_streams(const RankClasses& classes, const Placement& placement, const Cluster& cluster) {
  return StreamLayer(cluster, false).lay(DemandLister(classes, placement, cluster).list());
}

std::vector<LaidStream> lay_on_all_links(const std::vector<ChainTraffic>& chains, const RankClasses& classes,
                                         const Placement& placement, const Cluster& cluster) {
  return StreamLayer(cluster, true).lay(DemandLister(classes, placement, cluster).list(chains));
}

}  // namespace clusterwright
