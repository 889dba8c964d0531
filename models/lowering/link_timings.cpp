// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/link_timings.hpp"

#include <algorithm>

#include "models/kernels/collectives/expert_exchange.hpp"
#include "models/kernels/collectives/group_links.hpp"
#include "models/kernels/collectives/other_algorithms.hpp"
#include "models/kernels/collectives/slow_flow.hpp"

namespace clusterwright {

namespace {

/// NIC capacity stands a hair above the rate of one ring, so that rounded coefficients never make it contend alone.
constexpr double rounding_slack = 1.0005;

BytesPerSecond inner_rate(const Cluster& cluster) {
  const bool scales_up = cluster.scale_up_bandwidth > BytesPerSecond{};
  return scales_up ? cluster.scale_up_bandwidth : cluster.links.ring_bandwidth(1);
}

}  // namespace

LinkTimings::LinkTimings(const Cluster& cluster, const ParameterSet& parameters, double communication_factor)
    : cluster_(cluster),
      parameters_(parameters),
      transport_share_(transport_share(group_links(cluster, {}, {}), parameters.network)),
      communication_factor_(communication_factor),
      // No factor makes links faster than their data sheets.
      network_factor_(std::max(communication_factor, transport_share_)),
      inner_(inner_rate(cluster)) {
  if (cluster.slow_flows && cluster.spec.fabric.tail) tail_ = FlowTail(*cluster.spec.fabric.tail);
}

double LinkTimings::fabric_share() const {
  return transport_share_ / network_factor_ * rounding_slack;
}

BytesPerSecond LinkTimings::network() const {
  return cluster_.network_per_accelerator() * fabric_share();
}

GroupLinks LinkTimings::links(const GroupShape& group, const StepLatency& switches) const {
  return group_links(cluster_, group, switches);
}

CollectiveTiming LinkTimings::collective(CollectiveOp op, Bytes payload, const GroupShape& group,
                                         const GroupLinks& links) const {
  const auto torus = torus_fabric_time(op, payload, group, cluster_, links, parameters_.network);
  CollectiveTiming timing =
      torus ? *torus : collective_time(op, payload, group, links, parameters_.collectives, parameters_.network);
  if (op == CollectiveOp::all_to_all) timing.queue_pairs = exchange_queue_pairs(group);
  return with_tail(with_factors(timing), op == CollectiveOp::send ? 1 : flows_beside(group));
}

double LinkTimings::flows_beside(const GroupShape& group) const {
  return std::min<double>(static_cast<double>(group.domains) * cluster_.blocks.used, cluster_.blocks.accelerators);
}

CollectiveTiming LinkTimings::with_tail(CollectiveTiming timing, double flows) const {
  if (!tail_ || !timing.crosses_domains) return timing;
  return with_slow_flow(timing, tail_->slowest(flows, *cluster_.slow_flows));
}

CollectiveTiming LinkTimings::with_factors(CollectiveTiming timing) const {
  timing.latency = timing.path + (timing.latency - timing.path) * communication_factor_;
  const bool inside = !timing.crosses_domains && inner_ > BytesPerSecond{};
  timing.rate = timing.rate / (inside ? std::max(communication_factor_, timing.rate / inner_) : network_factor_);
  return timing;
}

CollectiveTiming LinkTimings::expert_exchange(const ExpertWork& work, ExpertTransfer transfer, Bytes copy,
                                              const GroupShape& group, const GroupLinks& links) const {
  const ExpertLoad& busy = group.domains > 1 ? work.traffic.network : work.traffic.scale_up;
  const double imbalance = busy.mean > Bytes{} ? busy.busiest / busy.mean : 1;
  const Bytes payload = work.copies * copy;
  if (transfer == ExpertTransfer::all_to_all)
    return collective(CollectiveOp::all_to_all, payload * imbalance, group, links);
  const Bytes drawn = work.drawn * byte;  // the traffic is of copies of one byte
  const ExpertShares shares{work.traffic.network.mean / drawn, work.traffic.scale_up.mean / drawn, imbalance};
  CollectiveTiming timing =
      expert_exchange_time(payload, group, links, parameters_.collectives.at("expert_exchange"), parameters_.network,
                           shares, all_to_all_curve(parameters_.collectives));
  timing.network_share = group.ranks_per_domain;  // each member sends its own
  timing.queue_pairs = exchange_queue_pairs(group);
  return with_tail(with_factors(timing), flows_beside(group));
}

}  // namespace clusterwright
