// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/cluster_spec.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

// Copied and moved here, not in every file that holds one: their members are many.
ClusterSpec::ClusterSpec() = default;
ClusterSpec::ClusterSpec(const ClusterSpec&) = default;
ClusterSpec::ClusterSpec(ClusterSpec&&) noexcept = default;
ClusterSpec& ClusterSpec::operator=(const ClusterSpec&) = default;
ClusterSpec& ClusterSpec::operator=(ClusterSpec&&) noexcept = default;
ClusterSpec::~ClusterSpec() = default;

namespace {

/// Far beyond any machine, and far from overflow in sums and products.
constexpr double most_accelerators = 1 << 24;

}  // namespace

const Record<MixedNodesSpec>& record(const MixedNodesSpec*) {
  static const auto table = Record<MixedNodesSpec>("mixed_nodes", "Nodes of another kind in a mixed cluster")
                                .required("accelerators", &MixedNodesSpec::accelerators,
                                          {.help = "of all these nodes", .min = 1, .max = most_accelerators})
                                .required("node", &MixedNodesSpec::node, {.help = "one of them"});
  return table;
}

const Record<SlowAcceleratorSpec>& record(const SlowAcceleratorSpec*) {
  using S = SlowAcceleratorSpec;
  static const auto table =
      Record<S>("slow_accelerator", "A straggler: slower silicon, a hot spot, a throttled device")
          .required("accelerator", &S::accelerator,
                    {.help = "numbered over the cluster, node by node, from 0", .min = 0, .max = most_accelerators})
          .required("clock", &S::clock,
                    {.help = "highest clock that it reaches, over that of the others", .min = 0.05, .max = 1});
  return table;
}

const Record<ClusterSpec>& record(const ClusterSpec*) {
  static const auto table =
      Record<ClusterSpec>("cluster", "Nodes and the network between them")
          .required("name", &ClusterSpec::name, {.help = "for people"})
          .optional("source", &ClusterSpec::source, {.help = "where the description comes from"})
          .required("accelerators", &ClusterSpec::accelerators,
                    {.help = "in the reach of the job", .min = 1, .max = most_accelerators})
          .required("node", &ClusterSpec::node, {.help = "all nodes, but for those of `also`"})
          .optional("also", &ClusterSpec::also,
                    {.help = "nodes of other kinds; they count in `accelerators`", .max_elements = 64})
          .optional("fabric", &ClusterSpec::fabric, {.help = "may be left out for a single node"})
          .optional("storage", &ClusterSpec::storage, {.help = "file system that all hosts share"})
          .optional("pool", &ClusterSpec::pool, {.help = "memory that all accelerators share"})
          .optional("slow", &ClusterSpec::slow, {.help = "stragglers; steps wait for them"})
          .optional("facility", &ClusterSpec::facility,
                    {.help = "what surrounds the cluster: racks, hall, power, cooling, services", .reference = true})
          .optional("parts", &ClusterSpec::parts,
                    {.help = "accelerators, NICs, switches and nodes that the catalog lacks, in its own form"});
  return table;
}

Catalog with_own_parts(Catalog catalog, const ClusterSpec& cluster) {
  if (cluster.parts)
    for_each_list(catalog, *cluster.parts,
                  [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); });
  return catalog;
}

}  // namespace clusterwright
