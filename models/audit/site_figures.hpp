/// Power and cooling of the racks and the site that a blueprint describes.
#pragma once

#include <optional>
#include <string>

#include "models/audit/blueprint.hpp"
#include "topology/cluster.hpp"

namespace clusterwright {

/// The only place from which an audit takes figures of racks and buildings.
struct SiteFigures {
  int nodes = 0;
  int nodes_per_rack = 0;
  int racks = 0;
  Watts node_rated;    ///< nameplate
  Watts node_typical;  ///< under load
  std::string power_source;
  Watts it_rated;  ///< of all nodes, with their share of network, storage and services
  double pue = 1;
  Watts node_other;  ///< of one node under load, without its accelerators

  Watts rack_rated() const { return node_rated * nodes_per_rack; }
  Watts rack_typical() const { return node_typical * nodes_per_rack; }
  Watts site_rated() const { return it_rated * pue; }
  Watts site_typical() const { return site_rated() * (node_typical / node_rated); }
};

SiteFigures site_figures(const Blueprint& blueprint, const Cluster& cluster, const Catalog& catalog);

/// Coolant that takes up the liquid share of a rack's heat, in litres a minute; zero without liquid.
double coolant_l_per_min(const RackCoolingPart& part, Watts heat);

}  // namespace clusterwright
