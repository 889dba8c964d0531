// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/job_pair.hpp"

#include <map>

#include "models/lowering/step_shape.hpp"
#include "models/lowering/stream_traffic.hpp"

namespace clusterwright {

namespace {

std::vector<LaidStream> streams_of(const PlacedJob& job) {
  const StepRanks alone(job.scenario, job.plan, Folding::folded);
  return lay_streams(alone.classes, alone.placement, job.scenario.cluster);
}

LoweredStep beside(const PlacedJob& job, const PlacedJob& other) {
  return LoweredStep(job.scenario, job.plan, streams_of(other));
}

/// Resources of a step by the links that they stand for.
std::map<LinkId, ResourceId> links_of(const LoweredStep& step) {
  std::map<LinkId, ResourceId> out;
  const auto& bundles = step.ranks().classes.uplinks();
  for (const UplinkId uplink : bundles.ids())
    if (bundles[uplink].is_link())
      out[LinkId(static_cast<std::size_t>(bundles[uplink].group))] = step.uplinks()[uplink];
  return out;
}

}  // namespace

JobPair::JobPair(const PlacedJob& first, const PlacedJob& second)
    : first_(beside(first, second)), second_(beside(second, first)) {}

std::vector<LinkId> JobPair::common_links() const {
  std::vector<LinkId> out;
  const auto others = links_of(second_);
  for (const auto& [link, resource] : links_of(first_))
    if (others.contains(link)) out.push_back(link);
  return out;
}

JoinedSteps JobPair::joined(const StepTiming& first, const StepTiming& second) const {
  StepJoiner joiner;
  const StepStructure& a = first_.structure();
  const StepStructure& b = second_.structure();
  joiner.add({a, first}, CommonResources(a.resource_names.size()));
  CommonResources common(b.resource_names.size());
  const auto links = links_of(first_);
  for (const auto& [link, resource] : links_of(second_))
    if (const auto found = links.find(link); found != links.end()) common[resource] = found->second;
  joiner.add({b, second}, common);
  return std::move(joiner).take();
}

}  // namespace clusterwright
