// SPDX-License-Identifier: Apache-2.0
/// Durations of the collectives of a step on its cluster, with the factors of its stack.
#pragma once

#include <optional>

#include "models/job/parameters.hpp"
#include "models/job/stack.hpp"
#include "models/kernels/collectives/collective_time.hpp"
#include "models/plan/expert_work.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/fabrics/flow_tail.hpp"

namespace clusterwright {

class LinkTimings {
 public:
  /// @param communication_factor  time of collectives in a step over their time in microbenchmarks
  LinkTimings(const Cluster& cluster, const ParameterSet& parameters, double communication_factor);

  /// Links of a group whose members are all on these nodes. @param switches  latency of the switches on the longest hop
  GroupLinks links(const GroupShape& group, const StepLatency& switches) const;
  /// @param links  of the group, those of slower members beside these nodes included
  CollectiveTiming collective(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links) const;
  CollectiveTiming collective(CollectiveOp op, Bytes payload, const GroupShape& group,
                              const StepLatency& switches) const {
    return collective(op, payload, group, links(group, switches));
  }
  /// Exchange of tokens with experts. An all-to-all of the library sends every copy; kernels for experts send one to
  /// each domain and rank.
  /// @param copy  bytes of one copy of a token
  CollectiveTiming expert_exchange(const ExpertWork& work, ExpertTransfer transfer, Bytes copy, const GroupShape& group,
                                   const GroupLinks& links) const;
  CollectiveTiming expert_exchange(const ExpertWork& work, ExpertTransfer transfer, Bytes copy, const GroupShape& group,
                                   const StepLatency& switches) const {
    return expert_exchange(work, transfer, copy, group, links(group, switches));
  }

  const Cluster& cluster() const { return cluster_; }
  /// Rate of the links inside a domain: scale-up links, else PCI Express. One accelerator, one direction.
  BytesPerSecond inner() const { return inner_; }
  /// Rate that transfers reach over that of a data sheet, on NICs and on the links of the fabric alike.
  double fabric_share() const;
  /// Rate of one accelerator's share of the NICs as rings reach it. One direction.
  BytesPerSecond network() const;

 private:
  CollectiveTiming with_factors(CollectiveTiming timing) const;
  /// The slowest of so many flows takes longer than their mean.
  CollectiveTiming with_tail(CollectiveTiming timing, double flows) const;
  /// All flows of the domains of a group: groups that share them run at once, and wait for each other.
  double flows_beside(const GroupShape& group) const;

  const Cluster& cluster_;
  const ParameterSet& parameters_;
  double transport_share_;       // rate of the transport over the rate of the NICs
  double communication_factor_;  // inside a domain
  double network_factor_;        // the same between domains, where the data sheet may be the limit
  BytesPerSecond inner_;
  std::optional<FlowTail> tail_;  // where a part of it is asked for
};

}  // namespace clusterwright
