#include "topology/cluster_spec.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

template <>
struct EnumNames<Transport> {
  static constexpr auto names = transport_names;
};

namespace {

/// Far beyond any machine, and far from overflow in what is computed from it.
constexpr double most_accelerators = 1 << 24;
constexpr double most_per_node = 1 << 12;

}  // namespace

const Record<NodeSpec>& record(const NodeSpec*) {
  static const auto table =
      Record<NodeSpec>("node_spec", "A server: accelerators behind one scale-up switch, and NICs")
          .required("accelerator", &NodeSpec::accelerator, {.help = "which part", .catalog = "accelerators"})
          .optional("accelerators", &NodeSpec::accelerators, {.help = "in one node", .min = 1, .max = most_per_node})
          .optional("nic", &NodeSpec::nic, {.help = "which part; empty without network", .catalog = "nics"})
          .optional("nics", &NodeSpec::nics,
                    {.help = "in one node, one rail each; 0 without network", .min = 0, .max = most_per_node})
          .optional("nic_rate_gbit_per_s", &NodeSpec::nic_rate,
                    {.help = "of one NIC, one direction; the part's if not given", .min = 0.001, .max = 1e6})
          .required("host_power_w", &NodeSpec::host_power,
                    {.help = "of the node without accelerators, under load", .min = 0, .max = 1e6});
  return table;
}

const Record<TierSpec>& record(const TierSpec*) {
  static const auto table =
      Record<TierSpec>("tier", "One level of switches")
          .required("name", &TierSpec::name, {.help = "such as leaf, pod, core"})
          .required("accelerators", &TierSpec::accelerators,
                    {.help = "below one full group of this tier", .min = 1, .max = most_accelerators})
          .optional(
              "taper", &TierSpec::taper,
              {.help = "capacity that arrives from below over capacity up; 1 is non-blocking", .min = 1, .max = 1000})
          .optional("switch", &TierSpec::switch_part, {.help = "which part; may be empty", .catalog = "switches"});
  return table;
}

const Record<FabricSpec>& record(const FabricSpec*) {
  static const auto table =
      Record<FabricSpec>("fabric", "A fat tree between the nodes")
          .optional("transport", &FabricSpec::transport, {.help = "protocol of the network"})
          .optional("tiers", &FabricSpec::tiers,
                    {.help = "nearest to the nodes first; the last joins everything", .max_elements = 8})
          .optional("hop_latency_us", &FabricSpec::hop_latency,
                    {.help = "of one switch and its cable", .min = 0, .max = 1e6});
  return table;
}

const Record<FacilitySpec>& record(const FacilitySpec*) {
  static const auto table =
      Record<FacilitySpec>("facility", "The building")
          .optional("power_usage_effectiveness", &FacilitySpec::power_usage_effectiveness,
                    {.help = "power of the facility over power of the machines", .min = 1, .max = 10});
  return table;
}

const Record<ClusterSpec>& record(const ClusterSpec*) {
  static const auto table = Record<ClusterSpec>("cluster", "Nodes and the network between them")
                                .required("name", &ClusterSpec::name, {.help = "for people"})
                                .optional("source", &ClusterSpec::source, {.help = "where the description comes from"})
                                .required("accelerators", &ClusterSpec::accelerators,
                                          {.help = "in the reach of the job", .min = 1, .max = most_accelerators})
                                .required("node", &ClusterSpec::node, {.help = "all nodes are alike"})
                                .optional("fabric", &ClusterSpec::fabric, {.help = "may be left out for a single node"})
                                .optional("facility", &ClusterSpec::facility, {.help = "what surrounds the cluster"});
  return table;
}

}  // namespace clusterwright
