// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/collective_laws.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/kernels/collectives/predict_collective.hpp"
#include "sim/law_check.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

namespace {

BytesPerSecond wire_inside(const AnsweredGroup& group, const Cluster& cluster) {
  const BytesPerSecond ring = cluster.inner_bandwidth(std::min(group.ranks, cluster.domain));
  const BytesPerSecond wire = std::max(ring, cluster.scale_up_bandwidth);
  const bool reduced = cluster.switch_reduction && group.op == CollectiveOp::all_reduce;
  return reduced ? wire * bus_factor(group.op, group.ranks) : wire;
}

}  // namespace

void check_laws(const CollectiveAnswer& answer, const AnsweredGroup& group, const Cluster& cluster) {
  LawCheck laws(fmt::format("{} over {} ranks", name_of(group.op), group.ranks));
  const double time = answer.time.in(second);
  laws.positive("time", time);
  laws.ordered("time", answer.low.in(second), time, answer.high.in(second));
  laws.equal("algorithm bandwidth times time", answer.algorithm_bandwidth.in(byte_per_second)*time, "size",
             answer.bytes.in(byte));
  laws.at_most("time of the busiest link", group.on_busiest_link.in(second), "time", time);
  const bool experts = group.op == CollectiveOp::dispatch || group.op == CollectiveOp::combine;
  if (group.one_domain && !experts)  // a token for several experts of one rank travels once
    laws.at_most("bus bandwidth", answer.bus_bandwidth.in(byte_per_second), "what the wires of a domain carry",
                 wire_inside(group, cluster).in(byte_per_second));
  laws.finish();
}

}  // namespace clusterwright
