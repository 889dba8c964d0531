// SPDX-License-Identifier: Apache-2.0
#include "topology/graph/network_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace clusterwright {

NetworkGraph::NetworkGraph(int nodes, int rails, Seconds hop_latency)
    : nodes_(nodes), rails_(rails), hop_latency_(hop_latency), vertices_(endpoints()) {
  if (nodes < 1 || rails < 1) throw std::invalid_argument("a network needs nodes and NICs");
}

std::size_t NetworkGraph::add_switches(std::string tier, std::uint32_t count, int ports) {
  tiers_.push_back({std::move(tier), VertexId(vertices_), count, ports});
  vertices_ += count;
  return tiers_.size() - 1;
}

std::size_t NetworkGraph::add_link_kind(LinkKind kind) {
  kinds_.push_back(std::move(kind));
  return kinds_.size() - 1;
}

void NetworkGraph::reserve(std::size_t cables) {
  to_.reserve(2 * cables);
  kind_.reserve(2 * cables);
  factor_.reserve(2 * cables);
}

LinkId NetworkGraph::connect(VertexId a, VertexId b, std::size_t kind) {
  const LinkId link = to_.push_back(b);
  to_.push_back(a);
  for (int direction = 0; direction < 2; ++direction) {
    kind_.push_back(static_cast<std::uint8_t>(kind));
    factor_.push_back(1.0F);
  }
  return link;
}

void NetworkGraph::finish() {
  leaving_begin_.assign(vertices_ + 1, 0);
  for (const LinkId link : link_ids()) ++leaving_begin_[from(link).value + 1];
  for (std::size_t v = 0; v < vertices_; ++v) leaving_begin_[v + 1] += leaving_begin_[v];
  std::vector<std::uint32_t> at(leaving_begin_.begin(), leaving_begin_.end() - 1);
  leaving_.resize(to_.size());
  for (const LinkId link : link_ids()) leaving_[at[from(link).value]++] = link;
}

void NetworkGraph::fail_link(LinkId link) {
  factor_[link] = factor_[opposite(link)] = 0;
}

void NetworkGraph::slow_link(LinkId link, double factor) {
  if (!(factor > 0)) throw std::invalid_argument("a slow link keeps some of its rate");
  for (const LinkId direction : {link, opposite(link)})
    factor_[direction] = static_cast<float>(factor) * factor_[direction];
}

void NetworkGraph::fail_switch(VertexId vertex) {
  for (const LinkId link : leaving(vertex)) fail_link(link);
}

std::span<const LinkId> NetworkGraph::leaving(VertexId v) const {
  return {leaving_.data() + leaving_begin_[v.value], leaving_.data() + leaving_begin_[v.value + 1]};
}

Seconds NetworkGraph::latency(std::span<const LinkId> path) const {
  Seconds total;
  for (const LinkId link : path) {
    if (!is_endpoint(to(link))) total += hop_latency_;
    total += kinds_[kind_[link]].extra_latency;
  }
  return total;
}

std::vector<std::size_t> NetworkGraph::cables_by_kind() const {
  std::vector<std::size_t> count(kinds_.size(), 0);
  for (const LinkId link : cable_ids()) ++count[kind_[link]];
  return count;
}

std::string NetworkGraph::name(VertexId v) const {
  if (is_endpoint(v)) return fmt::format("node {} nic {}", node_of(v).value, rail_of(v));
  for (const SwitchTier& tier : tiers_)
    if (v < tier.first + tier.count) return fmt::format("{} {}", tier.name, v.value - tier.first.value);
  throw std::out_of_range("no such vertex");
}

std::string NetworkGraph::link_name(LinkId link) const {
  int parallel = 0;
  for (const LinkId other : leaving(from(link)))
    if (other < link && to(other) == to(link)) ++parallel;
  const std::string ends = name(from(link)) + " -> " + name(to(link));
  return parallel == 0 ? ends : fmt::format("{} #{}", ends, parallel);
}

VertexId NetworkGraph::working_endpoint(NodeId node, int nic) const {
  const auto has_cable = [&](VertexId v) {
    const auto links = leaving(v);
    return std::any_of(links.begin(), links.end(), [&](LinkId link) { return works(link); });
  };
  for (int further = 0; further < rails_; ++further)
    if (const VertexId v = endpoint(node, (nic + further) % rails_); has_cable(v)) return v;
  return endpoint(node, nic);
}

}  // namespace clusterwright
