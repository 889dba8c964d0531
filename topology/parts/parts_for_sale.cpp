#include "topology/parts/parts_for_sale.hpp"

namespace clusterwright {

std::vector<std::string> parts_for_sale(const Catalog& catalog) {
  std::vector<std::string> ids;
  visit_parts_for_sale(catalog, [&](const auto& parts) {
    for (const auto& part : parts) ids.push_back(part.id);
  });
  return ids;
}

bool sells(const Catalog& catalog, const std::string& part) {
  bool found = false;
  visit_parts_for_sale(catalog, [&](const auto& parts) { found = found || find_part(parts, part); });
  return found;
}

}  // namespace clusterwright
