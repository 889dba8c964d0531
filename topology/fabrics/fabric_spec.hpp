// SPDX-License-Identifier: Apache-2.0
/// Network between nodes, as users write it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/enum_array.hpp"
#include "sim/quantity.hpp"
#include "sim/sourced.hpp"
#include "topology/parts/transport.hpp"

namespace clusterwright {

enum class FabricKind { fat_tree, dragonfly, dragonfly_plus, torus, hyperx };
inline constexpr std::array<std::string_view, 5> fabric_kind_names = {"fat_tree", "dragonfly", "dragonfly_plus",
                                                                      "torus", "hyperx"};
template <>
struct EnumNames<FabricKind> {
  static constexpr auto names = fabric_kind_names;
};

/// Leaves of a fat tree that the NICs of a node are cabled to.
///
/// joined: NIC i of every node of a group on the same leaves (a rail), and spines join the rails.
/// planes: as joined, but no switch ever joins two rails.
/// shared: all NICs of a node on one leaf.
enum class RailLayout { joined, planes, shared };
inline constexpr std::array<std::string_view, 3> rail_layout_names = {"joined", "planes", "shared"};
template <>
struct EnumNames<RailLayout> {
  static constexpr auto names = rail_layout_names;
};

/// Choice among equally good paths.
///
/// hash: each queue pair takes one shortest path, drawn by the seed (ECMP, static forwarding).
/// spray: packets use all shortest paths evenly (adaptive routing, packet spraying).
/// valiant: as spray, by way of a random intermediate group. adaptive: the best mixture of spray and valiant.
enum class Routing { hash, spray, valiant, adaptive };
inline constexpr std::array<std::string_view, 4> routing_names = {"hash", "spray", "valiant", "adaptive"};
template <>
struct EnumNames<Routing> {
  static constexpr auto names = routing_names;
};

/// One level of switches of a fat tree, nearest to the nodes first.
struct TierSpec {
  std::string name;         ///< "leaf", "pod", "core"
  int accelerators = 0;     ///< number below one group of this tier; 0: as many as the switch allows
  double taper = 1;         ///< capacity down over capacity up; 1 is non-blocking
  std::string switch_part;  ///< name in the catalog; may be empty where `accelerators` is given
};
const Record<TierSpec>& record(const TierSpec*);

/// Groups of switches, all joined in a group; groups joined by global links.
struct DragonflySpec {
  int endpoints_per_switch = 0;     ///< NIC ports (p)
  int switches_per_group = 0;       ///< a
  int global_links_per_switch = 0;  ///< h: ports for them
  int groups = 0;                   ///< g, at most a h + 1; 0: as many as the nodes need
  int links_per_group_pair = 0;     ///< cables between any two groups; 0: as many as the ports allow
};
const Record<DragonflySpec>& record(const DragonflySpec*);

/// Groups of two levels, every leaf on every spine; groups joined by the spines' global links.
struct DragonflyPlusSpec {
  int endpoints_per_leaf = 0;
  int leaves_per_group = 0;
  int spines_per_group = 0;
  int global_links_per_spine = 0;
  int groups = 0;                ///< 0: as many as the nodes need
  int links_per_group_pair = 0;  ///< likewise
};
const Record<DragonflyPlusSpec>& record(const DragonflyPlusSpec*);

/// Every node is a router with two neighbours along each side.
struct TorusSpec {
  std::vector<int> sides;  ///< 1 to 3; their product is the number of nodes
  bool wrap = true;        ///< false: a mesh without the links that close each ring
};
const Record<TorusSpec>& record(const TorusSpec*);

/// A grid of switches, all joined to each other along each side.
struct HyperxSpec {
  std::vector<int> sides;        ///< switches along each dimension
  std::vector<int> links;        ///< parallel cables between two switches, by dimension; 1 if absent
  int endpoints_per_switch = 0;  ///< NIC ports
};
const Record<HyperxSpec>& record(const HyperxSpec*);

/// Several places, each with a whole fabric of the kind above; every site has one link to every other.
struct SitesSpec {
  int count = 1;
  BytesPerSecond rate;       ///< rate of the link between two sites, one direction
  Sourced<Seconds> latency;  ///< one-way latency of that link
};
const Record<SitesSpec>& record(const SitesSpec*);

/// Times that flows between nodes take by chance, over their median: quantiles, as a benchmark of messages prints them.
struct TailSpec {
  double p99 = 1;              ///< 1 in 100 flows takes longer
  std::optional<double> p999;  ///< 1 in 1,000; absent: the tail goes on as it begins
};
const Record<TailSpec>& record(const TailSpec*);

struct FabricSpec {
  FabricKind kind = FabricKind::fat_tree;
  Transport transport = Transport::infiniband;
  std::vector<TierSpec> tiers;  ///< tiers of a fat tree; the last joins everything and has no way up
  RailLayout rails = RailLayout::joined;
  std::optional<Routing> routing;        ///< a neutral one if absent: routing_of (routing/routed_network.hpp)
  int queue_pairs = 4;                   ///< flows of a pair of NICs; hashed, each has its own path
  int routing_seed = 0;                  ///< of the paths that hashed flows draw
  int file_servers = 0;                  ///< on this network, each at the place of one more node; 0: elsewhere
  std::vector<std::string> faults = {};  ///< broken and slow parts, as `parse_fault` reads them
  /// Switch of the other kinds; of a fat tree without tiers the one that its tiers are made of. May be empty.
  std::string switch_part;
  double taper = 1;                         ///< of the leaves of a fat tree without tiers, as TierSpec::taper
  std::optional<BytesPerSecond> link_rate;  ///< rate between switches, one direction; the NIC's if absent
  std::optional<DragonflySpec> dragonfly;
  std::optional<DragonflyPlusSpec> dragonfly_plus;
  std::optional<TorusSpec> torus;
  std::optional<HyperxSpec> hyperx;
  std::optional<SitesSpec> sites;
  std::optional<TailSpec> tail;  ///< absent: all flows take the mean time
  Sourced<Seconds> hop_latency;  ///< latency of one switch and its cable
};
const Record<FabricSpec>& record(const FabricSpec*);

}  // namespace clusterwright
