// SPDX-License-Identifier: Apache-2.0
#include "sim/flow_replay.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "sim/step_graph.hpp"

namespace clusterwright {
namespace {

constexpr std::uint64_t capacity_limit = std::uint64_t{1} << 48;
constexpr std::uint64_t bytes_limit = std::uint64_t{1} << 60;
constexpr const char* too_long = "a flow lasts longer than a flow replay can count (2.5 hours)";

std::vector<std::uint64_t> in_rate_units(const std::vector<std::uint64_t>& capacities) {
  std::vector<std::uint64_t> rates;
  rates.reserve(capacities.size());
  for (const std::uint64_t capacity : capacities) {
    if (capacity == 0 || capacity >= capacity_limit)
      throw std::invalid_argument("capacity of a link must be > 0 and below 2^48 byte/s");
    rates.push_back(capacity * FlowReplay::rate_one);
  }
  return rates;
}

}  // namespace

FlowReplay::FlowReplay(const std::vector<std::uint64_t>& capacities)
    : capacities_(in_rate_units(capacities)), sharing_(capacities_) {}

/// Demands stay where they are, as capacity sharing refers to them.
CapacityDemand* FlowReplay::room_for(std::size_t hops) {
  constexpr std::size_t demands_per_block = 1 << 14;
  if (block_used_ + hops > block_size_) {
    block_size_ = std::max(hops, demands_per_block);
    demand_blocks_.push_back(std::make_unique<CapacityDemand[]>(block_size_));
    block_used_ = 0;
  }
  block_used_ += hops;
  return demand_blocks_.back().get() + block_used_ - hops;
}

void FlowReplay::lay(Route& route, std::span<const std::uint32_t> links, Femtoseconds latency) {
  if (links.empty()) throw std::invalid_argument("a route must have a link");
  if (latency < Femtoseconds{}) throw std::invalid_argument("latency of a route must not be negative");
  if (route.room < links.size()) {
    route.demands = room_for(links.size());
    route.room = static_cast<std::uint32_t>(links.size());
  }
  route.hops = static_cast<std::uint32_t>(links.size());
  route.latency = latency;
  route.bound = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t hop = 0; hop < links.size(); ++hop) {
    if (links[hop] >= capacities_.size()) throw std::invalid_argument("a route has an unknown link");
    route.bound = std::min(route.bound, capacities_[links[hop]]);
    route.demands[hop] = {links[hop], 1, coefficient_one};
  }
}

FlowRouteId FlowReplay::add_route(std::span<const std::uint32_t> links, Femtoseconds latency) {
  Route route;
  lay(route, links, latency);
  routes_.push_back(route);
  return FlowRouteId(routes_.size() - 1);
}

void FlowReplay::redirect(FlowRouteId route, std::span<const std::uint32_t> links, Femtoseconds latency) {
  if (routes_[route].stream != idle) throw std::invalid_argument("a route must be idle to be redirected");
  lay(routes_[route], links, latency);
}

void FlowReplay::start(FlowRouteId route, std::uint64_t bytes, std::uint64_t flow, Femtoseconds at) {
  if (bytes >= bytes_limit) throw std::invalid_argument("a flow must have less than 2^60 bytes");
  if (at < now_) throw std::invalid_argument("a flow must not start in the past");
  Femtoseconds begins;
  if (__builtin_add_overflow(at.count, routes_[route].latency.count, &begins.count))
    throw std::overflow_error(too_long);
  if (at_instant_ && begins == now_)
    begin({route, bytes, flow});
  else
    starts_[begins].push_back({route, bytes, flow});
}

std::uint64_t FlowReplay::rate(FlowRouteId route) const {
  const std::uint32_t stream = routes_[route].stream;
  return stream == idle ? 0 : streams_[stream].rate;
}

std::uint32_t FlowReplay::flows(FlowRouteId route) const {
  const std::uint32_t stream = routes_[route].stream;
  return stream == idle ? 0 : streams_[stream].flows();
}

bool FlowReplay::next_instant() {
  ended_.clear();
  if (ends_.empty() && starts_.empty()) return false;
  const bool start_first = ends_.empty() || (!starts_.empty() && starts_.begin()->first < ends_.first());
  now_ = start_first ? starts_.begin()->first : ends_.first();
  ++instants_;
  if (!start_first) end_due();
  return true;
}

void FlowReplay::bring_up(Stream& stream) const {
  stream.progress += Int128{stream.rate} * (now_.count - stream.since.count);
  stream.since = now_;
}

/// @return whether another flow is left
bool FlowReplay::drop_next(Stream& stream) {
  ended_.push_back(stream.next.flow);
  if (stream.later.empty()) return false;
  std::pop_heap(stream.later.begin(), stream.later.end(), std::greater<>());
  stream.next = stream.later.back();
  stream.later.pop_back();
  return true;
}

/// Streams that came last leave first: their keys are then used again in ascending order, and their demands are the
/// last ones of their links.
void FlowReplay::end_due() {
  due_.clear();
  ends_.take_first(due_);
  std::reverse(due_.begin(), due_.end());
  for (const std::uint32_t key : due_) {
    Stream& stream = streams_[key];
    bring_up(stream);
    bool left = true;
    while (left && stream.next.progress <= stream.progress) left = drop_next(stream);
    if (left) {
      sharing_.set_count(key, stream.flows());
      reset_.push_back(key);
    } else {
      sharing_.remove(key);
      routes_[stream.route].stream = idle;
    }
  }
}

void FlowReplay::begin_due() {
  if (starts_.empty() || starts_.begin()->first != now_) return;
  const auto due = starts_.extract(starts_.begin());
  for (const Waiting& start : due.mapped()) begin(start);
}

void FlowReplay::begin(const Waiting& start) {
  Route& route = routes_[start.route];
  const Int128 volume = Int128{start.bytes} * rate_one * femtoseconds_per_second;
  if (route.stream == idle) {
    route.stream = sharing_.add({route.demands, route.hops}, route.bound, 1);
    if (route.stream >= streams_.size()) streams_.resize(route.stream + 1);
    Stream& stream = streams_[route.stream];
    stream.progress = 0;
    stream.next = {volume, start.flow};
    stream.since = now_;
    stream.rate = 0;
    stream.route = start.route;
    return;
  }
  Stream& stream = streams_[route.stream];
  bring_up(stream);
  Goal goal{stream.progress + volume, start.flow};
  if (stream.next > goal) std::swap(stream.next, goal);
  stream.later.push_back(goal);
  std::push_heap(stream.later.begin(), stream.later.end(), std::greater<>());
  sharing_.set_count(route.stream, stream.flows());
  reset_.push_back(route.stream);
}

Femtoseconds FlowReplay::end_of(const Stream& stream) const {
  const UInt128 left = static_cast<UInt128>(stream.next.progress - stream.progress);
  const UInt128 span = (left + stream.rate - 1) / stream.rate;
  if (span > static_cast<UInt128>(std::numeric_limits<std::int64_t>::max() - now_.count))
    throw std::overflow_error(too_long);
  return {now_.count + static_cast<std::int64_t>(span)};
}

void FlowReplay::settle() {
  for (const std::uint32_t key : sharing_.settle()) {
    Stream& stream = streams_[key];
    bring_up(stream);
    stream.rate = sharing_.rate(key);
    ends_.set(key, end_of(stream));
  }
  for (const std::uint32_t key : reset_)
    if (routes_[streams_[key].route].stream == key) ends_.set(key, end_of(streams_[key]));
  reset_.clear();
}

}  // namespace clusterwright
