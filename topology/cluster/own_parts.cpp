#include "topology/cluster/own_parts.hpp"

#include "topology/parts/catalog_lists.hpp"

namespace clusterwright {

Catalog with_own_parts(Catalog catalog, const ClusterSpec& cluster) {
  if (cluster.parts)
    for_each_list(catalog, *cluster.parts,
                  [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); });
  return catalog;
}

}  // namespace clusterwright
