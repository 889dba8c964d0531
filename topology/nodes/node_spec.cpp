// SPDX-License-Identifier: Apache-2.0
#include "topology/nodes/node_spec.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

namespace {

constexpr double most_per_node = 1 << 14;
constexpr double most_per_domain = 1 << 16;

FieldRule node_rate(const char* help) {
  return {.help = help, .min = 0, .max = 1e6, .above_min = true};
}

void add_scale_up(Record<NodeSpec>& table) {
  table
      .optional("scale_up", &NodeSpec::scale_up,
                {.help = "how accelerators are wired; the accelerator's own way if not given"})
      .optional("scale_up_gb_per_s", &NodeSpec::scale_up_rate,
                node_rate("all scale-up links of one accelerator, one direction; the part's if not given"))
      .optional(
          "scale_up_domain", &NodeSpec::scale_up_domain,
          {.help = "accelerators that reach each other by scale-up links: may be several nodes, as in a rack that "
                   "acts as one, or less than one, as with bridged pairs; the accelerator's own if not given",
           .min = 1,
           .max = most_per_domain})
      .optional("scale_up_torus", &NodeSpec::scale_up_torus,
                {.help = "sides, where scale-up links form a torus; one ring if not given",
                 .min = 1,
                 .max = most_per_domain,
                 .max_elements = 3})
      .optional("pcie", &NodeSpec::pcie, {.help = "PCI Express, which accelerators use that have no scale-up links"})
      .optional("host", &NodeSpec::host, {.help = "processors, memory and drives"});
}

}  // namespace

const Record<NodeSpec>& record(const NodeSpec*) {
  static const auto table = [] {
    Record<NodeSpec> t("node_spec", "A server: accelerators, how they are wired, and NICs");
    t.optional("part", &NodeSpec::part, {.help = "which server; gives what is left out here", .catalog = "nodes"})
        .optional("accelerator", &NodeSpec::accelerator,
                  {.help = "which part; may be left out where the server names it", .catalog = "accelerators"})
        .optional("accelerators", &NodeSpec::accelerators,
                  {.help = "in one node; the server's, or 8, if not given", .min = 1, .max = most_per_node})
        .optional("nic", &NodeSpec::nic, {.help = "which part; empty without network", .catalog = "nics"})
        .optional("nics", &NodeSpec::nics,
                  {.help = "in one node, one rail each; 0 without network; the server's, or 8, if not given",
                   .min = 0,
                   .max = most_per_node})
        .optional("nic_rate_gbit_per_s", &NodeSpec::nic_rate,
                  {.help = "of one NIC, one direction; the part's if not given", .min = 0.001, .max = 1e6})
        .optional("host_power_w", &NodeSpec::host_power,
                  {.help = "of the node without accelerators, under load; the server's rating less that of its "
                           "accelerators if not given",
                   .min = 0,
                   .max = 1e6});
    add_scale_up(t);
    return t;
  }();
  return table;
}

}  // namespace clusterwright
