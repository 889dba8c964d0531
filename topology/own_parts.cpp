#include "topology/own_parts.hpp"

namespace clusterwright {

namespace {

template <class Part>
void append(std::vector<Part>& to, const std::vector<Part>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

Catalog with_own_parts(Catalog catalog, const ClusterSpec& cluster) {
  if (!cluster.parts) return catalog;
  const Catalog& own = *cluster.parts;
  append(catalog.accelerators, own.accelerators);
  append(catalog.nics, own.nics);
  append(catalog.switches, own.switches);
  append(catalog.cables, own.cables);
  append(catalog.nodes, own.nodes);
  append(catalog.racks, own.racks);
  append(catalog.power_stages, own.power_stages);
  append(catalog.rack_cooling, own.rack_cooling);
  append(catalog.heat_rejection, own.heat_rejection);
  append(catalog.climates, own.climates);
  append(catalog.coolant_units, own.coolant_units);
  append(catalog.storage_systems, own.storage_systems);
  append(catalog.servers, own.servers);
  return catalog;
}

}  // namespace clusterwright
