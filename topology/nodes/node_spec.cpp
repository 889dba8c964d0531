// SPDX-License-Identifier: Apache-2.0
#include "topology/nodes/node_spec.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

namespace {

constexpr double most_per_node = 1 << 14;
constexpr double most_per_domain = 1 << 16;

FieldRule node_rate(const char* help) {
  return {.help = help, .min = 0, .above_min = true};
}

void add_scale_up(Record<NodeSpec>& table) {
  table
      .optional("scale_up", &NodeSpec::scale_up,
                {.help = "wiring of the scale-up links; the accelerator's own if not given"})
      .optional("scale_up_gb_per_s", &NodeSpec::scale_up_rate,
                node_rate("bandwidth of all scale-up links of one accelerator, one direction; the part's if not given"))
      .optional("scale_up_domain", &NodeSpec::scale_up_domain,
                {.help = "number of accelerators that reach each other over scale-up links; may span several nodes (a "
                         "rack that acts as one) or part of a node (bridged pairs); the accelerator's own if not given",
                 .min = 1,
                 .max = most_per_domain})
      .optional("scale_up_torus", &NodeSpec::scale_up_torus,
                {.help = "sides of the torus that the scale-up links form; if not given, one ring",
                 .min = 1,
                 .max = most_per_domain,
                 .max_elements = 3})
      .optional(
          "pcie", &NodeSpec::pcie,
          {.help = "PCI Express tree: ways of copies to the host, of NICs, and of accelerators without scale-up links"})
      .optional("host", &NodeSpec::host, {.help = "processors, memory and drives"});
}

}  // namespace

const Record<NodeSpec>& record(const NodeSpec*) {
  static const auto table = [] {
    Record<NodeSpec> t("node_spec", "A server: accelerators, their wiring, and NICs");
    t.optional("part", &NodeSpec::part,
               {.help = "server in the catalog; gives every field left out here", .catalog = "nodes"})
        .optional("accelerator", &NodeSpec::accelerator,
                  {.help = "accelerator in the catalog; the server's if empty", .catalog = "accelerators"})
        .optional(
            "accelerators", &NodeSpec::accelerators,
            {.help = "accelerators in one node; if not given, the server's, else 8", .min = 1, .max = most_per_node})
        .optional("nic", &NodeSpec::nic, {.help = "NIC in the catalog; the server's if empty", .catalog = "nics"})
        .optional("nics", &NodeSpec::nics,
                  {.help = "NICs in one node, one rail each; 0: no network; if not given, the server's, else 8",
                   .min = 0,
                   .max = most_per_node})
        .optional(
            "nic_rate_gbit_per_s", &NodeSpec::nic_rate,
            {.help = "rate of one NIC, one direction; the part's if not given; its slot and the port of the switch "
                     "may limit it",
             .min = 0.001,
             .max = 1e6})
        .optional("host_power_w", &NodeSpec::host_power,
                  {.help = "power of the node under load without its accelerators; the server's rating less that of "
                           "its accelerators if not given",
                   .min = 0,
                   .max = 1e6})
        .optional(
            "accelerator_power_limit_w", &NodeSpec::accelerator_power_limit,
            {.help = "power limit that is set on each accelerator; its rating if not given", .min = 1, .max = 1e6})
        .optional("accelerator_power_limit_share", &NodeSpec::accelerator_power_share,
                  {.help = "the same as a share of the rating: 0.8 is a cap of 80 %", .min = 0.01, .max = 1})
        .optional("power_limit_w", &NodeSpec::power_limit,
                  {.help = "power limit of the node: what the host leaves of it, accelerators share equally",
                   .min = 1,
                   .max = 1e6});
    add_scale_up(t);
    return t;
  }();
  return table;
}

}  // namespace clusterwright
