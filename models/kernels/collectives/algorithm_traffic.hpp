// SPDX-License-Identifier: Apache-2.0
/// Flows of each family of algorithms between the members of a group where they meet the network. A family refuses
/// operations that it does not have.
#pragma once

#include <utility>
#include <vector>

#include "models/kernels/collectives/collective_traffic.hpp"

namespace clusterwright {

/// Members and endpoints that all algorithms place flows between. Domains are numbered by first appearance in rank
/// order.
class TrafficBuilder {
 public:
  TrafficBuilder(CollectiveOp op, Algorithm algorithm, const Communicator& group, const TrafficContext& context);

  CollectiveOp op() const { return op_; }
  Algorithm algorithm() const { return algorithm_; }
  const TrafficContext& context() const { return context_; }
  const Communicator& group() const { return group_; }
  const std::vector<DomainShare>& domains() const { return domains_; }
  double ranks() const { return static_cast<double>(group_.size()); }
  /// Number of channels that reach all domains: members of the smallest one.
  std::size_t channels() const;

  /// CollectiveTiming::wire over the payload.
  double counted() const;

  struct Ports {
    NodeId node;
    int first = 0;  ///< NIC in the node
    int count = 1;
  };
  Ports ports(AcceleratorId accelerator) const;
  /// NIC of a lane; another one of the node where its cables have failed.
  VertexId endpoint(const Ports& ports, int lane) const;

  bool same_domain(AcceleratorId a, AcceleratorId b) const;
  /// Whether rails never meet in the network. Senders then use the NICs of the receiver's rail, as NCCL's PXN does.
  bool separate_rails() const;

  /// Adds a flow between two accelerators over all their NICs; nothing inside a domain.
  void add_flow(std::vector<Demand>& demands, AcceleratorId from, AcceleratorId to, double bytes) const;
  /// Adds flows between two domains, by index, over the channels that both have.
  void add_edge(TrafficStage& stage, std::size_t from, std::size_t to, double bytes) const;

  /// @throws ConfigError E0332 "ring cannot run here: WHY"
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  CollectiveOp op_;
  Algorithm algorithm_;
  const Communicator& group_;
  TrafficContext context_;
  std::vector<DomainShare> domains_;
};

/// Adds up demands between the same endpoints.
void gather(std::vector<Demand>& demands);

/// Edges of two binary trees over the same nodes: (parent, child).
///
/// In the first one node 0 is the root, and node i with lowest set bit b hangs below i - b + 2 b, or i - b where that
/// does not exist: odd nodes are leaves. The second is the first mirrored (even number of nodes) or shifted by one
/// (odd), so that only node 0 of an odd number is interior in both.
/// @source github.com/NVIDIA/nccl, src/graph/trees.cc
struct DoubleTree {
  std::vector<std::pair<int, int>> first, second;
};

/// @param nodes  1 or more; a single one has no edges
DoubleTree double_binary_tree(int nodes);

std::vector<TrafficStage> ring_traffic(const TrafficBuilder& builder);
std::vector<TrafficStage> send_traffic(const TrafficBuilder& builder);
std::vector<TrafficStage> torus_traffic(const TrafficBuilder& builder);
std::vector<TrafficStage> tree_traffic(const TrafficBuilder& builder);
std::vector<TrafficStage> switch_reduction_traffic(const TrafficBuilder& builder);
std::vector<TrafficStage> pat_traffic(const TrafficBuilder& builder);
std::vector<TrafficStage> halving_doubling_traffic(const TrafficBuilder& builder);

}  // namespace clusterwright
