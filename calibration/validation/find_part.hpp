/// Look-up of a part by its name.
#pragma once

#include <string>
#include <vector>

#include "topology/parts.hpp"

namespace clusterwright {

/// The part of a catalog by its name; null without one.
inline const AcceleratorPart* find_part(const std::vector<AcceleratorPart>& catalog, const std::string& id) {
  for (const AcceleratorPart& part : catalog)
    if (part.id == id) return &part;
  return nullptr;
}

}  // namespace clusterwright
