// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/step_meetings.hpp"

#include <utility>

namespace clusterwright {

namespace {

/// Array with the same value at every place.
template <class T, std::size_t... places>
std::array<T, sizeof...(places)> filled(const T& value, std::index_sequence<places...>) {
  return {{((void)places, value)...}};
}

}  // namespace

StepMeetings::StepMeetings(StepGraphBuilder& builder, std::size_t classes, int stages)
    : tensor(builder, classes, StepCharge::imbalance),
      tied(builder, classes, StepCharge::bubble),
      mirror(builder, classes, StepCharge::bubble),
      norm(builder, classes, stages > 1 ? StepCharge::bubble : StepCharge::imbalance),
      reads(builder, classes, StepCharge::input_wait),
      host(builder, classes, StepCharge::imbalance),
      issue(builder, classes, StepCharge::launch),
      replicas(
          filled(Meetings(builder, classes, StepCharge::imbalance), std::make_index_sequence<replica_group_count>())),
      messages(filled(MessageMeetings(builder, classes, StepCharge::bubble),
                      std::make_index_sequence<message_route_count>())) {}

}  // namespace clusterwright
