// SPDX-License-Identifier: Apache-2.0
#include "topology/parts/pcie_spec.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

namespace {

constexpr double most_per_switch = 1 << 14;

FieldRule pcie_rate(const char* help) {
  return {.help = help, .min = 0, .max = 1e6, .above_min = true};
}

}  // namespace

const Record<PcieSpec>& record(const PcieSpec*) {
  static const auto table =
      Record<PcieSpec>("pcie", "PCI Express of a node: accelerators under switches, switches under host bridges")
          .optional("accelerators_per_switch", &PcieSpec::accelerators_per_switch,
                    {.help = "0: every accelerator on a root port of its own; the server's, or 2, if not given",
                     .min = 0,
                     .max = most_per_switch})
          .optional(
              "sockets", &PcieSpec::sockets,
              {.help = "processors, to which accelerators are dealt in equal blocks; the server's, or 2, if not given",
               .min = 1,
               .max = 64})
          .optional("link_gb_per_s", &PcieSpec::link,
                    pcie_rate("slot of one accelerator, one direction; its host link if not given"))
          .optional("uplink_gb_per_s", &PcieSpec::uplink,
                    pcie_rate("one switch to its host bridge, one direction; as the slot if not given"))
          .optional("between_sockets_gb_per_s", &PcieSpec::between_sockets,
                    pcie_rate("one direction; 22 GB/s if not given"))
          .optional("nics", &PcieSpec::nics,
                    {.help = "where NICs are plugged in; the server's, or switch, if not given"})
          .optional(
              "peer_to_peer", &PcieSpec::peer_to_peer,
              {.help = "false: copies between accelerators pass through host memory; the server's, or true, if not "
                       "given"});
  return table;
}

}  // namespace clusterwright
