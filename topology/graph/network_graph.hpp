/// The network between nodes, cable by cable: NIC ports, switches, and links with a capacity in each direction.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/quantity.hpp"

namespace clusterwright {

/// Vertices are numbered: first the endpoints (NIC ports, node by node, rail by rail), then switches, tier by tier.
using VertexId = std::uint32_t;
/// One direction of one cable; the other direction of link l is l ^ 1.
using LinkId = std::uint32_t;

constexpr LinkId opposite(LinkId link) {
  return link ^ 1u;
}

/// Cables that are alike: "node-leaf", "leaf-spine", "global", "site".
struct LinkKind {
  std::string name;
  BytesPerSecond rate;    ///< data sheet, one direction
  Seconds extra_latency;  ///< beyond that of the switch that it leads to: long distances
};

/// Switches that are alike, with consecutive numbers.
struct SwitchTier {
  std::string name;  ///< "leaf", "spine", "core", "router"
  VertexId first = 0;
  std::uint32_t count = 0;
  int ports = 0;  ///< of the part; 0 where no part is named
};

/// Never changes once built, except that links and switches may be marked slow or failed before routes are made.
class NetworkGraph {
 public:
  /// Starts with `nodes * rails` endpoints and neither switch nor link.
  NetworkGraph(int nodes, int rails, Seconds hop_latency);

  /// @return number of the tier
  std::size_t add_switches(std::string tier, std::uint32_t count, int ports = 0);
  std::size_t add_link_kind(LinkKind kind);
  /// Room for so many cables, which makes adding them faster.
  void reserve(std::size_t cables);
  /// One cable, both directions. @return the direction from `a` to `b`
  LinkId connect(VertexId a, VertexId b, std::size_t kind);
  /// Builds the lists of leaving links; call once, after the last cable.
  void finish();

  void fail_link(LinkId link);                 ///< both directions
  void slow_link(LinkId link, double factor);  ///< both directions; what is left of the rate, above 0
  void fail_switch(VertexId vertex);           ///< with all its links

  int nodes() const { return nodes_; }
  int rails() const { return rails_; }
  VertexId endpoint(int node, int rail) const { return static_cast<VertexId>(node * rails_ + rail); }
  int node_of(VertexId endpoint) const { return static_cast<int>(endpoint) / rails_; }
  int rail_of(VertexId endpoint) const { return static_cast<int>(endpoint) % rails_; }
  bool is_endpoint(VertexId v) const { return v < endpoints(); }

  std::size_t endpoints() const { return static_cast<std::size_t>(nodes_) * static_cast<std::size_t>(rails_); }
  std::size_t switches() const { return vertices_ - endpoints(); }
  std::size_t vertices() const { return vertices_; }
  std::size_t links() const { return to_.size(); }  ///< directed
  std::size_t cables() const { return to_.size() / 2; }

  const std::vector<SwitchTier>& tiers() const { return tiers_; }
  const std::vector<LinkKind>& link_kinds() const { return kinds_; }
  VertexId from(LinkId link) const { return to_[opposite(link)]; }
  VertexId to(LinkId link) const { return to_[link]; }
  std::size_t kind(LinkId link) const { return kind_[link]; }
  BytesPerSecond capacity(LinkId link) const { return factor_[link] * kinds_[kind_[link]].rate; }  ///< zero: failed
  bool works(LinkId link) const { return factor_[link] > 0; }
  std::span<const LinkId> leaving(VertexId v) const;  ///< failed links included

  /// Of one switch and its cable.
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
  std::vector<VertexId> to_;
  std::vector<std::uint8_t> kind_;
  std::vector<float> factor_;
  std::vector<std::uint32_t> leaving_begin_;
  std::vector<LinkId> leaving_;
};

}  // namespace clusterwright
