// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/collective_traffic.hpp"

#include "models/kernels/collectives/algorithm_traffic.hpp"
#include "models/kernels/collectives/exchange_traffic.hpp"
#include "models/kernels/collectives/traffic_builder.hpp"

namespace clusterwright {

namespace {

std::vector<TrafficStage> stages_of(const TrafficBuilder& builder) {
  if (builder.op() == CollectiveOp::send) return send_traffic(builder);
  switch (builder.algorithm()) {
    case Algorithm::ring:
      return ring_traffic(builder);
    case Algorithm::tree:
    case Algorithm::nvls_tree:
      return tree_traffic(builder);
    case Algorithm::nvls:
    case Algorithm::collnet_direct:
    case Algorithm::collnet_chain:
      return switch_reduction_traffic(builder);
    case Algorithm::pat:
      return pat_traffic(builder);
    case Algorithm::halving_doubling:
      return halving_doubling_traffic(builder);
    case Algorithm::torus:
      return torus_traffic(builder);
    case Algorithm::direct:
      return direct_traffic(builder);
    case Algorithm::rail_aligned:
    case Algorithm::hierarchical:
      return rail_traffic(builder);
  }
  return {};
}

}  // namespace

std::vector<TrafficStage> collective_traffic(CollectiveOp op, Algorithm algorithm, const Communicator& group,
                                             const TrafficContext& context) {
  const TrafficBuilder builder(op, algorithm, group, context);
  if (builder.domains().size() < 2) return {};
  std::vector<TrafficStage> stages = stages_of(builder);
  for (TrafficStage& stage : stages) gather(stage.demands);
  return stages;
}

}  // namespace clusterwright
