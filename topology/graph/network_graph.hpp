// SPDX-License-Identifier: Apache-2.0
/// Network between nodes, cable by cable: NIC ports, switches, and links with a capacity in each direction.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/quantity.hpp"
#include "sim/typed_id.hpp"
#include "topology/nodes/node_id.hpp"

namespace clusterwright {

/// Vertices are numbered: first the endpoints (NIC ports, node by node, rail by rail), then switches, tier by tier.
using VertexId = Id<struct VertexTag>;
/// One direction of one cable. The two directions of a cable have neighbouring numbers, the even one first.
using LinkId = Id<struct LinkTag>;

/// The other direction of the same cable.
constexpr LinkId opposite(LinkId link) {
  return LinkId(link.value ^ 1u);
}

/// Cables of one kind: "node-leaf", "leaf-spine", "global", "site".
struct LinkKind {
  std::string name;
  BytesPerSecond rate;    ///< data sheet, one direction
  Seconds extra_latency;  ///< beyond that of the switch at its end, for long distances
};

/// Switches of one tier, with consecutive numbers.
struct SwitchTier {
  std::string name;  ///< "leaf", "spine", "core", "router"
  VertexId first;
  std::uint32_t count = 0;
  int ports = 0;  ///< ports of the part; 0 where no part is named

  IdRange<VertexId> switches() const { return {first.value, first.value + count}; }
};

/// Never changes once built, except that links and switches may be marked slow or failed before routes are made.
class NetworkGraph {
 public:
  /// Starts with `nodes * rails` endpoints and neither switch nor link.
  NetworkGraph(int nodes, int rails, Seconds hop_latency);

  /// @return number of the tier
  std::size_t add_switches(std::string tier, std::uint32_t count, int ports = 0);
  std::size_t add_link_kind(LinkKind kind);
  /// Makes room for further cables, which makes adding them faster.
  void reserve(std::size_t cables);
  /// One cable, both directions. @return the direction from `a` to `b`
  LinkId connect(VertexId a, VertexId b, std::size_t kind);
  /// Builds the lists of leaving links; call once, after the last cable.
  void finish();

  void fail_link(LinkId link);                 ///< both directions
  void slow_link(LinkId link, double factor);  ///< both directions; `factor` > 0 is the share of the rate that is left
  void fail_switch(VertexId vertex);           ///< all its links, both directions

  int nodes() const { return nodes_; }
  int rails() const { return rails_; }
  VertexId endpoint(NodeId node, int rail) const {
    return VertexId(node.value * static_cast<std::size_t>(rails_)) + rail;
  }
  NodeId node_of(VertexId endpoint) const { return NodeId(endpoint.value / static_cast<std::uint32_t>(rails_)); }
  int rail_of(VertexId endpoint) const { return static_cast<int>(endpoint.value) % rails_; }
  bool is_endpoint(VertexId v) const { return v.value < endpoints(); }
  /// Number of a switch among all switches, from 0.
  std::uint32_t switch_number(VertexId v) const { return v.value - static_cast<std::uint32_t>(endpoints()); }
  VertexId switch_at(std::size_t number) const { return VertexId(endpoints() + number); }

  std::size_t endpoints() const { return static_cast<std::size_t>(nodes_) * static_cast<std::size_t>(rails_); }
  std::size_t switches() const { return vertices_ - endpoints(); }
  std::size_t vertices() const { return vertices_; }
  std::size_t links() const { return to_.size(); }  ///< directed
  std::size_t cables() const { return to_.size() / 2; }

  IdRange<NodeId> node_ids() const { return {0, static_cast<std::size_t>(nodes_)}; }
  IdRange<VertexId> vertex_ids() const { return {0, vertices_}; }
  IdRange<VertexId> endpoint_ids() const { return {0, endpoints()}; }
  IdRange<VertexId> switch_ids() const { return {endpoints(), vertices_}; }
  IdRange<LinkId> link_ids() const { return {0, links()}; }
  /// One direction of every cable.
  IdRange<LinkId, 2> cable_ids() const { return {0, links()}; }

  const std::vector<SwitchTier>& tiers() const { return tiers_; }
  const std::vector<LinkKind>& link_kinds() const { return kinds_; }
  VertexId from(LinkId link) const { return to_[opposite(link)]; }
  VertexId to(LinkId link) const { return to_[link]; }
  std::size_t kind(LinkId link) const { return kind_[link]; }
  BytesPerSecond capacity(LinkId link) const { return factor_[link] * kinds_[kind_[link]].rate; }  ///< zero: failed
  bool works(LinkId link) const { return factor_[link] > 0; }
  std::span<const LinkId> leaving(VertexId v) const;  ///< failed links included
  /// NIC of a node with a working cable: `nic`, else the next one that has any, as NCCL falls back; `nic` if none has.
  VertexId working_endpoint(NodeId node, int nic) const;

  /// Latency of one switch and its cable.
  Seconds hop_latency() const { return hop_latency_; }
  /// Switches that `path` crosses times the hop latency, and what long links add.
  Seconds latency(std::span<const LinkId> path) const;

  /// Cables of each kind, in the order of link_kinds().
  std::vector<std::size_t> cables_by_kind() const;
  /// "node 12 nic 3", "leaf 4".
  std::string name(VertexId v) const;
  /// "leaf 4 -> spine 1", with "#2" for the third of several parallel cables (counted from 0).
  std::string link_name(LinkId link) const;

 private:
  int nodes_;
  int rails_;
  Seconds hop_latency_;
  std::size_t vertices_;
  std::vector<SwitchTier> tiers_;
  std::vector<LinkKind> kinds_;
  IndexedVector<LinkId, VertexId> to_;
  IndexedVector<LinkId, std::uint8_t> kind_;
  IndexedVector<LinkId, float> factor_;       // share of the rate that is left; 0: failed
  std::vector<std::uint32_t> leaving_begin_;  // by vertex, length vertices + 1
  std::vector<LinkId> leaving_;               // by the vertex that they leave
};

/// Graph of a fabric, with the marks that its kind leaves for routing.
struct Network {
  NetworkGraph graph;
  /// Group of each switch (by switch number) of a dragonfly or dragonfly+, else empty; counted through all
  /// sites, the switches at the border of a site being a group of their own.
  std::vector<int> groups;
  /// Sides of a torus or mesh on a single site, else empty: node n is at x = n % X, y = n / X % Y, z = n / (X Y); its
  /// router is switch n.
  std::vector<int> torus_sides;
};

}  // namespace clusterwright
