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
  static const auto table =
      Record<MixedNodesSpec>("mixed_nodes", "Nodes of another kind in a mixed cluster")
          .required("accelerators", &MixedNodesSpec::accelerators,
                    {.help = "number of accelerators of all these nodes together", .min = 1, .max = most_accelerators})
          .required("node", &MixedNodesSpec::node, {.help = "description of one of these nodes"});
  return table;
}

const Record<SlowAcceleratorSpec>& record(const SlowAcceleratorSpec*) {
  using S = SlowAcceleratorSpec;
  static const auto table =
      Record<S>("slow_accelerator", "A straggler: slower silicon, a hot spot or a throttled device")
          .required("accelerator", &S::accelerator,
                    {.help = "index in the cluster, node by node, from 0", .min = 0, .max = most_accelerators})
          .optional("clock", &S::clock,
                    {.help = "highest clock of this accelerator over that of the others; it costs nothing where the "
                             "power limit holds all clocks lower",
                     .min = 0.05,
                     .max = 1})
          .optional(
              "relative_clock", &S::relative_clock,
              {.help = "clock over that of the others under the same load and power limit", .min = 0.05, .max = 1})
          .optional("power_limit_w", &S::power_limit,
                    {.help = "power limit of this accelerator, where it is below that of the others, as in a rack with "
                             "less power or cooling",
                     .min = 0,
                     .above_min = true});
  return table;
}

const Record<ClusterSpec>& record(const ClusterSpec*) {
  static const auto table =
      Record<ClusterSpec>("cluster", "Nodes and the network that joins them")
          .required("name", &ClusterSpec::name, {.help = "name for readers"})
          .optional("source", &ClusterSpec::source, {.help = "origin of this description"})
          .required(
              "accelerators", &ClusterSpec::accelerators,
              {.help = "number of accelerators that the job uses; nodes and racks are whole, the rest of them is idle",
               .min = 1,
               .max = most_accelerators})
          .required("node", &ClusterSpec::node, {.help = "description of every node except those of `also`"})
          .optional("also", &ClusterSpec::also,
                    {.help = "nodes of other kinds; their accelerators count in `accelerators`", .max_elements = 64})
          .optional("fabric", &ClusterSpec::fabric, {.help = "network between the nodes; not needed for a single node"})
          .optional("storage", &ClusterSpec::storage, {.help = "file system that all hosts share"})
          .optional("pool", &ClusterSpec::pool, {.help = "memory that all accelerators share"})
          .optional("slow", &ClusterSpec::slow, {.help = "stragglers, which every step waits for"})
          .optional("facility", &ClusterSpec::facility,
                    {.help = "surroundings of the cluster: racks, hall, power, cooling, services", .reference = true})
          .optional(
              "parts", &ClusterSpec::parts,
              {.help = "accelerators, NICs, switches and nodes that the catalog lacks, in the form of the catalog"});
  return table;
}

Catalog with_own_parts(Catalog catalog, const ClusterSpec& cluster) {
  if (cluster.parts)
    for_each_list(catalog, *cluster.parts,
                  [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); });
  return catalog;
}

}  // namespace clusterwright
