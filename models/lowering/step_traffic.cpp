// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/step_traffic.hpp"

#include <algorithm>
#include <utility>

#include "models/lowering/step_shape.hpp"
#include "sim/step_works.hpp"
#include "topology/routing/routed_network.hpp"

namespace clusterwright {

StepTraffic::StepTraffic(const Scenario& scenario, const LoweredStep& step)
    : graph_(scenario.cluster.network().graph), chains_(step.traffic()) {
  const StepRanks& ranks = step.ranks();
  for (LaidStream& laid : lay_on_all_links(chains_, ranks.classes, ranks.placement, scenario.cluster))
    loads_[laid.key] = std::move(laid.loads);
}

std::vector<StepTraffic::Crossing> StepTraffic::crossings(ChainId chain) const {
  std::vector<Crossing> out;
  const auto found = std::ranges::lower_bound(chains_, chain, {}, &ChainTraffic::chain);
  if (found == chains_.end() || found->chain != chain || found->share == 0) return out;
  for (const RankClassId c : found->classes)
    if (const auto laid = loads_.find({found->stream, c}); laid != loads_.end())
      for (const auto& [link, load] : laid->second) out.push_back({found->stream, link, found->share * load});
  return out;
}

std::map<Stream, LinkLoads> StepTraffic::bytes(const StepStructure& structure, const StepTiming& timing) const {
  const std::vector<double> runs = chain_runs(structure);
  std::map<ClassStream, double> sent;  // bytes of a group or a sender, by what is laid
  for (const ChainTraffic& traffic : chains_)
    for (const RankClassId c : traffic.classes)
      sent[{traffic.stream, c}] +=
          runs[traffic.chain.value] * traffic.share * chain_bytes(structure, timing, traffic.chain).in(byte);
  std::map<Stream, LinkLoads> out;
  for (const auto& [key, laid] : loads_) {
    if (laid.empty() || sent[key] == 0) continue;
    LinkLoads& loads = out.try_emplace(key.stream, graph_.links(), 0.0).first->second;
    for (const auto& [link, load] : laid) loads[link] += sent[key] * load;
  }
  return out;
}

std::vector<double> chain_runs(const StepStructure& structure) {
  std::vector<double> runs(structure.chain_begin.size() - 1, 0.0);
  for (const Rendezvous& meeting : structure.rendezvous) runs[meeting.chain.value] += 1;
  for_each_work(structure, [&](const StepWork& work) {
    if (work.chain.exists() && !work.op.exists()) runs[work.chain.value] += static_cast<double>(work.count);
  });
  return runs;
}

Bytes chain_bytes(const StepStructure& structure, const StepTiming& timing, ChainId chain) {
  Bytes sum;
  for (std::uint32_t leg = structure.chain_begin[chain.value]; leg < structure.chain_begin[chain.value + 1]; ++leg)
    sum += static_cast<double>(timing.legs[LegId(leg)].bytes) * byte;
  return sum;
}

}  // namespace clusterwright
