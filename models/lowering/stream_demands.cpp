// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/stream_demands.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "models/kernels/collectives/algorithm_traffic.hpp"
#include "models/kernels/collectives/collective_traffic.hpp"
#include "models/kernels/collectives/file_traffic.hpp"
#include "models/lowering/input_side.hpp"
#include "models/lowering/rank_classes.hpp"
#include "sim/diagnostic.hpp"
#include "topology/routing/routed_network.hpp"

namespace clusterwright {

namespace {

class DemandLister {
 public:
  DemandLister(const RankClasses& classes, const Placement& placement, const Cluster& cluster)
      : classes_(classes),
        placement_(placement),
        cluster_(cluster),
        context_{cluster, cluster.network().graph, cluster.network().torus_sides},
        flows_(CollectiveOp::send, Algorithm::direct, no_group_, context_) {}

  StreamDemandsByClass list(const std::vector<ChainTraffic>& chains) {
    wanted_.emplace();
    for (const ChainTraffic& chain : chains)
      for (const RankClassId c : chain.classes)
        if (chain.share > 0) wanted_->insert({chain.stream, c});
    for (int p = 0; p < placement_.plan().pipeline; ++p)
      for (const StreamGroup& group : port_groups(placement_, p)) add_group(group);
    add_messages([](const StageMessage&, const RankCoordinates&) { return true; });
    add_reads();
    return list_groups();
  }

  StreamDemandsByClass list_inside() {
    add_messages([](const StageMessage& message, const RankCoordinates& from) { return !round_ends(message, from); });
    add_reads();
    return list_groups();
  }

  StreamDemandsByClass list_round_ends() {
    add_messages(round_ends);
    return std::move(demands_);
  }

 private:
  StreamDemands& at(Stream stream, const RankCoordinates& rank, int channels) {
    StreamDemands& out = demands_[{stream, classes_.slice_of(rank)}];
    out.peak = channels * cluster_.network_per_accelerator();
    return out;
  }

  /// Whether a message goes from one end of the pipeline to the other.
  static bool round_ends(const StageMessage& message, const RankCoordinates& from) {
    const bool further = message.to.pipeline > from.pipeline;
    return further != (message.stream == Stream::forward);
  }

  template <class Predicate>
  void add_messages(Predicate counts) {
    const Plan& plan = placement_.plan();
    for (int p = 0; p < plan.pipeline; ++p)
      for (int d = 0; d < plan.gradient_ranks(); ++d)
        for (int t = 0; t < plan.tensor; ++t)
          for (const StageMessage& message : stage_messages(plan, {t, d, p}))
            if (counts(message, {t, d, p})) add_message(message, {t, d, p});
  }

  void add_message(const StageMessage& message, const RankCoordinates& from) {
    if (placement_.domain(from) == placement_.domain(message.to) || !wants(message.stream, from)) return;
    StreamDemands& out = at(message.stream, from, 1);
    flows_.add_flow(out.demands, placement_.accelerator(from), placement_.accelerator(message.to), 1);
    out.replicas.resize(out.demands.size(), from.data);
  }

  /// Whether the job reads at all is not known here; links that nobody uses restrain nobody.
  void add_reads() {
    if (!cluster_.has_files_on_network()) return;
    const FileTraffic files(cluster_, 1);
    int file = 0;
    for (const RankCoordinates& reader : reading_ranks(placement_)) {
      if (wants(Stream::files, reader))
        files.add_read(at(Stream::files, reader, 1).demands, placement_.accelerator(reader), file, 1);
      ++file;
    }
  }

  StreamDemandsByClass list_groups() {
    for (int p = 0; p < placement_.plan().pipeline; ++p)
      for (const StreamGroup& group : stage_groups(placement_, p, 1)) add_group(group);
    return std::move(demands_);
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
  Communicator no_group_;
  TrafficBuilder flows_;                         // of messages
  std::optional<std::set<ClassStream>> wanted_;  // nothing: all that share links
  StreamDemandsByClass demands_;
};

}  // namespace

StreamDemandsByClass demands_inside(const RankClasses& classes, const Placement& placement, const Cluster& cluster) {
  return DemandLister(classes, placement, cluster).list_inside();
}

StreamDemandsByClass demands_round_ends(const RankClasses& classes, const Placement& placement,
                                        const Cluster& cluster) {
  return DemandLister(classes, placement, cluster).list_round_ends();
}

StreamDemandsByClass demands_of(const std::vector<ChainTraffic>& chains, const RankClasses& classes,
                                const Placement& placement, const Cluster& cluster) {
  return DemandLister(classes, placement, cluster).list(chains);
}

}  // namespace clusterwright
