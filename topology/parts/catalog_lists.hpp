#pragma once

#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Visits the lists of parts of two catalogs, pair by pair.
template <class A, class B, class Visit>
void for_each_list(A& a, B& b, Visit visit) {
  visit(a.accelerators, b.accelerators);
  visit(a.nics, b.nics);
  visit(a.switches, b.switches);
  visit(a.cables, b.cables);
  visit(a.nodes, b.nodes);
  visit(a.racks, b.racks);
  visit(a.power_stages, b.power_stages);
  visit(a.rack_cooling, b.rack_cooling);
  visit(a.heat_rejection, b.heat_rejection);
  visit(a.climates, b.climates);
  visit(a.coolant_units, b.coolant_units);
  visit(a.storage_systems, b.storage_systems);
  visit(a.servers, b.servers);
}

}  // namespace clusterwright
