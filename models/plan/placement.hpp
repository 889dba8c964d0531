// SPDX-License-Identifier: Apache-2.0
/// Placement of the ranks of a plan on nodes.
#pragma once

#include <vector>

#include "models/job/stack.hpp"
#include "models/kernels/collectives/collective_time.hpp"
#include "models/plan/plan.hpp"
#include "topology/cluster/domain_blocks.hpp"

namespace clusterwright {

/// Rank by its place in each parallel dimension. `data` counts all ranks that hold the same weights: context ranks
/// innermost, then replicas of the batch.
struct RankCoordinates {
  int tensor = 0;
  int data = 0;
  int pipeline = 0;
  bool operator==(const RankCoordinates&) const = default;
};

/// Ranks of one stage that form a communicator. Along `data`: all; the context ranks of one replica (context); those
/// that share one copy of the weights (shard); those with the same part of different copies (mirrors). Across `tensor`
/// and `data`: those that the experts are divided among, those that split each expert, and those with the same experts.
enum class ReplicaGroup : int { all, context, shard, mirrors, experts, expert_tensor, expert_replicas };
inline constexpr std::size_t replica_group_count = 7;

/// Ranks are numbered by the plan's order of dimensions and fill the block of one scale-up domain after the other.
class Placement {
 public:
  /// @pre tensor divides the accelerators used of a domain, or is a multiple of them
  Placement(const Plan& plan, const DomainBlocks& blocks);
  /// Domains that the job fills. @param domain_size  accelerators of one scale-up domain
  Placement(const Plan& plan, int domain_size);

  int rank(const RankCoordinates& at) const;
  int domain(const RankCoordinates& at) const { return rank(at) / blocks_.used; }
  /// Accelerator of a rank, numbered over the whole cluster, idle ones included.
  AcceleratorId accelerator(const RankCoordinates& at) const { return blocks_.accelerator(rank(at)); }
  /// Node of a rank. @param node_accelerators  accelerators of one node
  int node(const RankCoordinates& at, int node_accelerators) const {
    return static_cast<int>(accelerator(at).value) / node_accelerators;
  }
  const Plan& plan() const { return plan_; }
  const DomainBlocks& blocks() const { return blocks_; }
  int domain_size() const { return blocks_.used; }  ///< ranks of one domain

  /// Shape of two ranks, both in one domain or not, beside the same pairs of the other ranks of the stage of `a`.
  GroupShape pair(const RankCoordinates& a, const RankCoordinates& b) const;
  /// Shape of the tensor group, and of the first group of its kind at (tensor 0, stage 0).
  GroupShape tensor_group() const;
  GroupShape replica_group(ReplicaGroup kind) const;
  /// Members of the first group of `kind` that sit in one domain with its first rank.
  int members_in_domain(ReplicaGroup kind) const;
  /// First member of the group of `kind` that holds a rank; identifies the group.
  RankCoordinates first_member(ReplicaGroup kind, const RankCoordinates& of) const;
  std::vector<RankCoordinates> members(ReplicaGroup kind, const RankCoordinates& of) const;

 private:
  /// Group as an arithmetic sequence of ranks of the stage, numbered tensor first, then data.
  struct Sequence {
    int first = 0;
    int stride = 1;
    int count = 1;
  };
  Sequence sequence(ReplicaGroup kind, const RankCoordinates& of) const;
  RankCoordinates of_stage(int index, int pipeline) const;
  int place(int rank) const { return static_cast<int>(blocks_.accelerator(rank).value) % blocks_.domain; }
  DomainPlaces places(const std::vector<RankCoordinates>& group) const;

  Plan plan_;
  DomainBlocks blocks_;
  int replica_stride_;
  int pipeline_stride_;
};

}  // namespace clusterwright
