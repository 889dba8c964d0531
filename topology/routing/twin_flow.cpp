// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/twin_flow.hpp"

#include <algorithm>
#include <array>

#include "topology/routing/path_walk.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t lanes = 4;  // columns that are added in one go
constexpr std::size_t links_at_once = 4;
/// Links from there to the endpoints of twins.
constexpr std::size_t last_switch_before = 2;

}  // namespace

TwinFlow::TwinFlow(const Stations& stations, SprayFlow& flow)
    : stations_(stations), flow_(flow), row_of_(flow.graph().vertices(), none), waiting_(last_switch_before + 1) {}

void TwinFlow::start(std::span<const StationId> twins) {
  twins_.assign(twins.begin(), twins.end());
  columns_ = (twins.size() + lanes - 1) / lanes * lanes;
  share_.resize(columns_);
  bytes_.clear();
}

double* TwinFlow::amounts(VertexId at, std::size_t distance) {
  Row& row = row_of_[at];
  if (row == none) {
    row = static_cast<Row>(bytes_.size() / columns_);
    bytes_.resize(bytes_.size() + columns_, 0.0);
    waiting_[distance].push_back({at, row});
  }
  return bytes_.data() + row * columns_;
}

void TwinFlow::put(StationId from, std::span<const double> bytes) {
  const VertexId at = stations_[from].place;
  const VertexId to = stations_[twins_.front()].endpoint;
  if (alone()) return flow_.put(at, to, bytes.front());
  const int hops = flow_.routes().hops(at, to);
  if (hops < 0) throw_no_path(flow_.graph(), at, to);
  const auto distance = static_cast<std::size_t>(hops);
  if (distance >= waiting_.size()) waiting_.resize(distance + 1);
  double* amount = amounts(at, distance);
  for (std::size_t twin = 0; twin < twins_.size(); ++twin) amount[twin] += bytes[twin];
}

void TwinFlow::finish() {
  if (alone()) return flow_.finish(stations_[twins_.front()]);
  for (std::size_t distance = waiting_.size() - 1; distance > last_switch_before; --distance) {
    for (const Waiting& from : waiting_[distance]) pass_on(from, distance);
    waiting_[distance].clear();
  }
  std::vector<Waiting>& beside = waiting_[last_switch_before];
  for (std::size_t twin = 0; twin < twins_.size(); ++twin)
    for (const Waiting& from : beside)
      flow_.deliver(from.at, stations_[twins_[twin]], bytes_[from.row * columns_ + twin]);
  for (const Waiting& from : beside) row_of_[from.at] = none;
  beside.clear();
}

void TwinFlow::pass_on(const Waiting& from, std::size_t distance) {
  links_.clear();
  flow_.routes().next_links(from.at, stations_[twins_.front()].endpoint, links_);
  const double* held = bytes_.data() + from.row * columns_;
  for (std::size_t twin = 0; twin < columns_; ++twin) share_[twin] = held[twin] / static_cast<double>(links_.size());
  row_of_[from.at] = none;
  for (std::size_t first = 0; first < links_.size(); first += links_at_once) load_links(first);
  for (const LinkId link : links_) add_share(amounts(flow_.graph().to(link), distance - 1));
}

/// Sums of four links grow side by side, as the terms of each must be added one after the other.
void TwinFlow::load_links(std::size_t first) {
  std::array<double, links_at_once> sum{};
  const std::size_t count = std::min(links_at_once, links_.size() - first);
  for (std::size_t i = 0; i < count; ++i) sum[i] = flow_.loads()[links_[first + i]];
  auto [a, b, c, d] = sum;
  for (const double share : share_) a += share, b += share, c += share, d += share;
  sum = {a, b, c, d};
  for (std::size_t i = 0; i < count; ++i) flow_.loads()[links_[first + i]] = sum[i];
}

void TwinFlow::add_share(double* amount) const {
  for (const double* share = share_.data(); share != share_.data() + columns_; share += lanes, amount += lanes) {
    const double a = amount[0] + share[0], b = amount[1] + share[1];
    const double c = amount[2] + share[2], d = amount[3] + share[3];
    amount[0] = a, amount[1] = b, amount[2] = c, amount[3] = d;
  }
}

}  // namespace clusterwright
