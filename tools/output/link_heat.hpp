// SPDX-License-Identifier: Apache-2.0
/// How busy a step keeps each link of the network, tier by tier.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/lowering/step_traffic.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/graph/network_graph.hpp"

namespace clusterwright {

/// Way of a link between tiers of switches, nodes at the bottom; across: both ends in one tier.
enum class LinkWay : int { up, down, across };
inline constexpr std::array<std::string_view, 3> link_way_names = {"up", "down", "across"};

/// Bounds of the classes of utilisation that pictures colour, ascending. Class 0 is no traffic at all; class 1 ends at
/// the first bound, the last class is open.
inline constexpr std::array heat_bounds = {0.01, 0.02, 0.05, 0.10, 0.20, 0.40, 0.70};
inline constexpr std::size_t heat_class_count = heat_bounds.size() + 2;
std::size_t heat_class(double utilisation);
/// "idle", "below 1 %", "1 to 2 %", "from 70 %".
std::string heat_class_name(std::size_t heat_class);
/// Fill of a class as "#rrggbb": grey for idle, then ever darker, so that it reads without hue too.
std::string_view heat_colour(std::size_t heat_class);

/// Links of one kind and way.
struct HeatTier {
  std::string kind;  ///< "leaf-spine"
  LinkWay way = LinkWay::up;
  int level = 0;              ///< of the upper end: 0 for the lowest tier of switches
  std::vector<LinkId> links;  ///< ascending
};

class LinkHeat {
 public:
  /// @param bytes  of one step (StepTraffic::bytes)
  LinkHeat(const Cluster& cluster, std::map<Stream, LinkLoads> bytes, Seconds step_time);

  const Cluster& cluster() const { return cluster_; }
  const NetworkGraph& graph() const { return graph_; }
  Seconds step_time() const { return step_time_; }
  const std::map<Stream, LinkLoads>& streams() const { return streams_; }

  double bytes(LinkId link) const { return total_[link]; }
  /// Bytes over those that the link could carry in the time of the step; 0 for failed links.
  double utilisation(LinkId link) const;
  LinkWay way(LinkId link) const;
  /// Bytes that leave NICs in a step, of all streams.
  double sent() const;
  double sent(Stream stream) const;

  /// Tiers from the nodes upwards, up before down.
  const std::vector<HeatTier>& tiers() const { return tiers_; }
  /// Working links by decreasing utilisation, then by number; at most `most`, idle ones left out.
  std::vector<LinkId> busiest(std::size_t most) const;
  /// Links of one kind and way that carry the same, by decreasing utilisation.
  struct Alike {
    LinkId first;
    int count = 1;
    std::string mixture;
  };
  std::vector<Alike> busiest_alike(std::size_t most) const;
  /// Bytes over capacity of all links of a tier.
  double mean(const HeatTier& tier) const;
  /// Largest utilisation of the links.
  double peak(const std::vector<LinkId>& links) const;
  /// "data 93 %, pipeline forward 7 %": largest first, shares below 0.5 % left out.
  std::string mixture(const std::vector<LinkId>& links) const;

 private:
  int level(VertexId v) const;

  const Cluster& cluster_;
  const NetworkGraph& graph_;
  Seconds step_time_;
  std::map<Stream, LinkLoads> streams_;
  LinkLoads total_;
  std::vector<HeatTier> tiers_;
};

/// One row for each direction of each cable: ends, tier, capacity, bytes, utilisation, bytes by stream.
std::string heat_csv(const LinkHeat& heat);

/// Picture for Graphviz whose lines are coloured and labelled by the utilisation of their cables, equal parts folded
/// beyond most_heat_boxes boxes.
std::string heat_graphviz(const LinkHeat& heat);
inline constexpr std::size_t most_heat_boxes = 200;
inline constexpr std::size_t most_heat_lines = 1200;

}  // namespace clusterwright
