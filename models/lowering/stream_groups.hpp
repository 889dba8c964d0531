// SPDX-License-Identifier: Apache-2.0
/// Groups of ranks whose traffic crosses the fabric, by the stream that it belongs to.
#pragma once

#include <compare>
#include <vector>

#include "models/plan/placement.hpp"
#include "sim/step_graph.hpp"

namespace clusterwright {

class RankClasses;

/// Streams of traffic: pipeline messages one way or the other; rings of all replicas, of those that hold the same shard
/// (HSDP), of those that share one copy of the weights, of a context group, of a tensor group over several domains;
/// tokens on their way to experts; rings of those that hold the same experts; input from file servers. Two load no link
/// of a step but its ports: rings of those that split an expert, and pairs of stages that hold the same weights.
enum class Stream : int {
  forward,
  backward,
  data_ring,
  mirror_ring,
  shard_ring,
  context_ring,
  tensor_ring,
  experts,
  expert_ring,
  expert_parts,
  stage_pairs,
  files
};
inline constexpr std::size_t stream_count = 12;

/// Stream of the collectives of replicas of a kind.
Stream stream_of(ReplicaGroup kind);

/// Stream of one rank class.
struct ClassStream {
  Stream stream;
  RankClassId rank_class;
  auto operator<=>(const ClassStream&) const = default;
};

/// One group, by its first member.
struct StreamGroup {
  Stream stream = Stream::data_ring;
  std::vector<RankCoordinates> members;
};

/// Groups of a stage with more than one member, except pipeline messages; those inside one domain included.
/// @param together  ranks of a tensor group of which only the first is listed, where all their rings are alike
std::vector<StreamGroup> stage_groups(const Placement& placement, int stage, int together);

/// Groups of a stage whose traffic counts at the ports of their ranks only: Stream::expert_parts, and
/// Stream::stage_pairs where `stage` is the lower one of a pair.
std::vector<StreamGroup> port_groups(const Placement& placement, int stage);

/// Receiver of a pipeline message.
struct StageMessage {
  Stream stream = Stream::forward;
  RankCoordinates to;
};

/// Messages of a rank to the stages beside its own; those round the ends only where stages hold several chunks.
std::vector<StageMessage> stage_messages(const Plan& plan, const RankCoordinates& from);

}  // namespace clusterwright
