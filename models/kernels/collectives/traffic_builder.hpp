// SPDX-License-Identifier: Apache-2.0
/// A group's members where they meet the network, and the flows between them.
#pragma once

#include <vector>

#include "models/kernels/collectives/collective_traffic.hpp"

namespace clusterwright {

/// What all algorithms need to place their flows. Domains are numbered by first appearance in rank order.
class TrafficBuilder {
 public:
  TrafficBuilder(CollectiveOp op, Algorithm algorithm, const Communicator& group, const TrafficContext& context);

  CollectiveOp op() const { return op_; }
  Algorithm algorithm() const { return algorithm_; }
  const TrafficContext& context() const { return context_; }
  const Communicator& group() const { return group_; }
  const std::vector<DomainShare>& domains() const { return domains_; }
  double ranks() const { return static_cast<double>(group_.size()); }
  /// Members of the smallest domain: channels that reach all domains.
  std::size_t channels() const;

  /// CollectiveTiming::wire over the payload.
  double counted() const;

  struct Ports {
    NodeId node;
    int first = 0;  ///< NIC in the node
    int count = 1;
  };
  Ports ports(AcceleratorId accelerator) const;
  VertexId endpoint(const Ports& ports, int lane) const;

  bool same_domain(AcceleratorId a, AcceleratorId b) const;
  /// Whether rails never meet in the network: then senders use the NICs of the receiver's rail, as NCCL's PXN does.
  bool separate_rails() const;

  /// Between two accelerators, over all their NICs; nothing inside a domain.
  void add_flow(TrafficStage& stage, AcceleratorId from, AcceleratorId to, double bytes) const;
  /// Between two domains, by index, over the channels that both have.
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

}  // namespace clusterwright
