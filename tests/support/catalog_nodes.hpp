// SPDX-License-Identifier: Apache-2.0
/// Nodes built from the shipped catalog, as a cluster would build them.
#pragma once

#include <filesystem>
#include <string>

#include "topology/nodes/node_group.hpp"
#include "topology/nodes/node_parts.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright::testing {

inline const Catalog& shipped_parts() {
  static const Catalog catalog = load_catalog(std::filesystem::path(CLUSTERWRIGHT_CONFIGS) / "parts");
  return catalog;
}

/// One node of a description.
inline NodeGroup one_node(const NodeSpec& spec) {
  const NodeSpec filled = fill_in(spec, shipped_parts());
  return make_node_group(filled, shipped_parts(), NodeId(0), node_accelerators(filled));
}

inline NodeGroup one_node(const std::string& part) {
  NodeSpec spec;
  spec.part = part;
  return one_node(spec);
}

}  // namespace clusterwright::testing
