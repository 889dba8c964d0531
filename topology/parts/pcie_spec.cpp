// SPDX-License-Identifier: Apache-2.0
#include "topology/parts/pcie_spec.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

namespace {

constexpr double most_per_switch = 1 << 14;

FieldRule pcie_rate(const char* help) {
  return {.help = help, .min = 0, .above_min = true};
}

}  // namespace

const Record<PcieSpec>& record(const PcieSpec*) {
  static const auto table =
      Record<PcieSpec>("pcie", "PCI Express tree of a node: accelerators under switches, switches under host bridges")
          .optional("accelerators_per_switch", &PcieSpec::accelerators_per_switch,
                    {.help = "accelerators under one PCI Express switch; 0: each on a root port of its own; if not "
                             "given, the server's, else 2",
                     .min = 0,
                     .max = most_per_switch})
          .optional("sockets", &PcieSpec::sockets,
                    {.help = "processor sockets, each with an equal block of the accelerators; if not given, the "
                             "server's, else 2",
                     .min = 1,
                     .max = 64})
          .optional("link_gb_per_s", &PcieSpec::link,
                    pcie_rate("bandwidth of one accelerator's slot, one direction; its host link's if not given"))
          .optional("uplink_gb_per_s", &PcieSpec::uplink,
                    pcie_rate("bandwidth from one switch to its host bridge, one direction; the slot's if not given"))
          .optional("between_sockets_gb_per_s", &PcieSpec::between_sockets,
                    pcie_rate("bandwidth between two sockets, one direction; 22 GB/s if not given"))
          .optional("nics", &PcieSpec::nics,
                    {.help = "where NICs are plugged in; if not given, the server's, else switch"})
          .optional("peer_to_peer", &PcieSpec::peer_to_peer,
                    {.help = "whether accelerators copy to each other directly; false: through host memory; if not "
                             "given, the server's, else true"});
  return table;
}

}  // namespace clusterwright
