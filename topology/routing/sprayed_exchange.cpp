// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/sprayed_exchange.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace clusterwright {

namespace {

std::vector<StationId> without(const std::vector<StationId>& list, const std::vector<StationId>& left_out) {
  std::vector<StationId> rest;
  std::set_difference(list.begin(), list.end(), left_out.begin(), left_out.end(), std::back_inserter(rest));
  return rest;
}

}  // namespace

SprayedExchange::SprayedExchange(const Stations& stations, IndexedVector<StationId, double> members, double bytes,
                                 std::span<const int> groups, SprayFlow& flow)
    : stations_(stations), members_(std::move(members)), bytes_(bytes), groups_(groups), flow_(flow) {}

void SprayedExchange::run(const std::vector<StationId>& taking_part, std::size_t most_pairs) {
  const std::vector<List> classes = twins(taking_part);
  std::size_t pairs = taking_part.size() * classes.size();
  for (const List& twins : classes) pairs += twins.size() * twins.size();
  sample_step_ = std::max<std::size_t>(1, (pairs + most_pairs - 1) / most_pairs);
  for (const List& twins : classes) {
    send(without(taking_part, twins), twins);
    if (twins.size() > 1)
      for (const StationId station : twins) send(without(twins, {station}), {station});
  }
}

std::vector<SprayedExchange::List> SprayedExchange::twins(const List& taking_part) const {
  const IndexedVector<StationId, StationId> class_of = twin_classes(flow_.graph(), stations_, groups_);
  std::map<StationId, List> classes;
  for (const StationId s : taking_part) classes[class_of[s]].push_back(s);
  std::vector<List> result;
  for (auto& [first, list] : classes) result.push_back(std::move(list));
  return result;
}

double SprayedExchange::weight(const List& list) const {
  double sum = 0;
  for (const StationId s : list) sum += members_[s];
  return sum;
}

/// @param to  twins, none of them in `from`
void SprayedExchange::send(const List& from, const List& to) {
  put(from, to);
  const Station& first = stations_[to.front()];
  if (to.size() == 1) return flow_.finish(first);
  const double all = weight(to);
  for (const VertexId at : flow_.move(first.endpoint, 2)) {
    const double bytes = flow_.take(at);
    for (const StationId s : to) flow_.deliver(at, stations_[s], bytes * members_[s] / all);
  }
}

void SprayedExchange::put(const List& from, const List& to) {
  const VertexId endpoint = stations_[to.front()].endpoint;
  List sources;
  for (const StationId s : from)
    if (flow_.routes().reaches(stations_[s].place, endpoint)) sources.push_back(s);
  List sample;
  for (std::size_t i = to.front().value % sample_step_; i < sources.size(); i += sample_step_)
    sample.push_back(sources[i]);
  const double each = bytes_ * weight(to) * weight(sources) / std::max(weight(sample), 1.0);
  for (const StationId s : sample) flow_.put(stations_[s].place, endpoint, each * members_[s]);
}

}  // namespace clusterwright
