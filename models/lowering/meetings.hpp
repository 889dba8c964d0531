// SPDX-License-Identifier: Apache-2.0
/// Rendezvous that the programs of different rank classes share.
#pragma once

#include <vector>

#include "models/lowering/step_charge.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

/// Rendezvous of one kind, group by group, each made when the first member asks for it.
///
/// A group is named by a rank class (class_groups.hpp).
class GroupRendezvous {
 public:
  GroupRendezvous(StepGraphBuilder& builder, std::size_t classes, StepCharge late)
      : builder_(&builder), late_(late), by_group_(classes) {}

  RendezvousId at(RankClassId group, std::size_t index, ChainId chain);

 private:
  StepGraphBuilder* builder_;
  StepCharge late_;
  IndexedVector<RankClassId, std::vector<RendezvousId>> by_group_;
};

/// Collectives: the i-th op of every member of a group meets at the i-th rendezvous of the group.
class Meetings {
 public:
  Meetings(StepGraphBuilder& builder, std::size_t classes, StepCharge late)
      : rendezvous_(builder, classes, late), joined_(classes, 0) {}

  RendezvousId join(RankClassId group, RankClassId member, ChainId chain);

 private:
  GroupRendezvous rendezvous_;
  IndexedVector<RankClassId, std::size_t> joined_;
};

/// Messages between slices: the i-th send of each class of the sending slice meets the i-th receive of each class of
/// the other. `from` names the sending slice.
class MessageMeetings {
 public:
  MessageMeetings(StepGraphBuilder& builder, std::size_t classes, StepCharge late)
      : rendezvous_(builder, classes, late), sent_(classes, 0), received_(classes, 0) {}

  RendezvousId send(RankClassId from, RankClassId sender, ChainId chain);
  RendezvousId receive(RankClassId from, RankClassId receiver, ChainId chain);

 private:
  GroupRendezvous rendezvous_;
  IndexedVector<RankClassId, std::size_t> sent_, received_;
};

}  // namespace clusterwright
