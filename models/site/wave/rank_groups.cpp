// SPDX-License-Identifier: Apache-2.0
#include "models/site/wave/rank_groups.hpp"

#include <map>
#include <utility>

#include "models/lowering/rank_classes.hpp"
#include "models/plan/placement.hpp"

namespace clusterwright {

namespace {

using Contents = std::map<int, std::vector<int>>;  // ranks by class, by number of the node or rack

/// Visits every rank with its class and its node.
template <class Visit>
void for_each_rank(const Placement& placement, const RankClasses& classes, int node_accelerators, Visit visit) {
  const Plan& plan = placement.plan();
  RankCoordinates at;
  for (at.pipeline = 0; at.pipeline < plan.pipeline; ++at.pipeline)
    for (at.data = 0; at.data < plan.data * plan.context; ++at.data)
      for (at.tensor = 0; at.tensor < plan.tensor; ++at.tensor)
        visit(classes.class_of(at), placement.node(at, node_accelerators));
}

/// Those that hold the same, together.
std::vector<RankGroup> alike(const Contents& contents, const std::map<int, int>& nodes) {
  std::map<std::pair<std::vector<int>, int>, int> counts;
  for (const auto& [number, ranks] : contents) ++counts[{ranks, nodes.at(number)}];
  std::vector<RankGroup> out;
  for (const auto& [content, count] : counts) out.push_back({content.first, content.second, count});
  return out;
}

}  // namespace

RankGroups rank_groups(const Scenario& scenario, const Plan& plan, int nodes_per_rack) {
  const Placement placement(plan, scenario.cluster.blocks);
  const RankClasses classes = rank_classes(scenario, placement, Folding::folded);
  Contents nodes, racks;
  std::map<int, int> each, in_racks;
  RankGroups out;
  out.classes.resize(classes.count());
  const std::vector<int> none(classes.count(), 0);
  for_each_rank(placement, classes, scenario.cluster.node_accelerators, [&](RankClassId rank, int node) {
    ++out.classes[rank.value];
    const auto [place, fresh] = nodes.try_emplace(node, none);
    ++place->second[rank.value];
    ++racks.try_emplace(node / nodes_per_rack, none).first->second[rank.value];
    each[node] = 1;
    if (fresh) ++in_racks[node / nodes_per_rack];
  });
  out.nodes = alike(nodes, each);
  out.racks = alike(racks, in_racks);
  return out;
}

}  // namespace clusterwright
