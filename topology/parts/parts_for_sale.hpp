/// Parts of the catalog that are bought one by one.
#pragma once

#include <string>
#include <vector>

#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Calls `visit` with every list of such parts.
template <class Visitor>
void visit_parts_for_sale(const Catalog& catalog, Visitor visit) {
  visit(catalog.nodes);
  visit(catalog.accelerators);
  visit(catalog.nics);
  visit(catalog.switches);
  visit(catalog.cables);
  visit(catalog.racks);
  visit(catalog.power_stages);
  visit(catalog.coolant_units);
  visit(catalog.storage_systems);
  visit(catalog.servers);
}

/// Ids of all parts that are bought one by one, priced or not.
std::vector<std::string> parts_for_sale(const Catalog& catalog);

bool sells(const Catalog& catalog, const std::string& part);

}  // namespace clusterwright
