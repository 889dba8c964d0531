// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/class_groups.hpp"

#include <set>

namespace clusterwright {

RankClassId ClassGroups::tensor_group(RankClassId c) const {
  RankCoordinates at = classes_.representative(c);
  at.tensor = 0;
  return classes_.slice_of(at);
}

RankClassId ClassGroups::name_of(ReplicaGroup kind, const RankCoordinates& at) const {
  return classes_.slice_of(placement_.first_member(kind, at));
}

RankClassId ClassGroups::replica_group(ReplicaGroup kind, RankClassId c) const {
  return name_of(kind, classes_.representative(c));
}

std::vector<RankClassId> ClassGroups::members(ReplicaGroup kind, RankClassId c) const {
  std::set<RankClassId> members;
  const auto add = [&](const RankCoordinates& of) {
    for (const RankCoordinates& at : placement_.members(kind, of)) members.insert(classes_.class_of(at));
  };
  RankCoordinates at = classes_.representative(c);
  add(at);
  const RankClassId name = name_of(kind, at);
  const bool split = classes_.split_slices();
  for (at.tensor = 0; split && at.tensor < placement_.plan().tensor; ++at.tensor)
    if (name_of(kind, at) == name) add(at);
  return {members.begin(), members.end()};
}

RankClassId ClassGroups::on_stage(RankClassId c, int stage) const {
  RankCoordinates at = classes_.representative(c);
  at.pipeline = stage;
  return classes_.slice_of(at);
}

RankClassId ClassGroups::neighbour(RankClassId c, int step) const {
  const int stages = placement_.plan().pipeline;
  return on_stage(c, (classes_.representative(c).pipeline + step + stages) % stages);
}

RankClassId ClassGroups::receiver(Stream stream, RankClassId c) const {
  return neighbour(c, stream == Stream::forward ? 1 : -1);
}

RankClassId ClassGroups::sender(Stream stream, RankClassId c) const {
  return neighbour(c, stream == Stream::forward ? -1 : 1);
}

}  // namespace clusterwright
