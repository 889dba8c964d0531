// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/meetings.hpp"

namespace clusterwright {

RendezvousId GroupRendezvous::at(RankClassId group, std::size_t index, ChainId chain) {
  std::vector<RendezvousId>& list = by_group_[group];
  if (index == list.size()) list.push_back(builder_->add_rendezvous(chain, charge_id(late_)));
  return list[index];
}

RendezvousId Meetings::join(RankClassId group, RankClassId member, ChainId chain) {
  return rendezvous_.at(group, joined_[member]++, chain);
}

RendezvousId MessageMeetings::send(RankClassId from, RankClassId sender, ChainId chain) {
  return rendezvous_.at(from, sent_[sender]++, chain);
}

RendezvousId MessageMeetings::receive(RankClassId from, RankClassId receiver, ChainId chain) {
  return rendezvous_.at(from, received_[receiver]++, chain);
}

}  // namespace clusterwright
