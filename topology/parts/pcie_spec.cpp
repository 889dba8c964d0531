// SPDX-License-Identifier: Apache-2.0
#include "topology/parts/pcie_spec.hpp"

#include <cstdio>
#include <string>

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
          .optional("nic_slot_gb_per_s", &PcieSpec::nic_slot,
                    pcie_rate("bandwidth of one NIC's slot, one direction; if not given, the NIC's own host link, else "
                              "that of PCIe6 x16"))
          .optional("peer_to_peer", &PcieSpec::peer_to_peer,
                    {.help = "whether accelerators copy to each other directly; false: through host memory; if not "
                             "given, the server's, else true"});
  return table;
}

std::optional<BytesPerSecond> pcie_link_rate(std::string_view kind) {
  int generation = 0, lanes = 0;
  if (std::sscanf(std::string(kind).c_str(), "PCIe%d x%d", &generation, &lanes) != 2) return {};
  if (generation < 1 || generation > 6 || lanes < 1 || lanes > 16) return {};
  constexpr std::array<double, 6> lane = {
      0.25, 0.5, 8 * 128 / 130.0 / 8, 16 * 128 / 130.0 / 8, 32 * 128 / 130.0 / 8, 64 * 242 / 256.0 / 8};
  return lanes * lane[static_cast<std::size_t>(generation - 1)] * gigabyte_per_second;
}

BytesPerSecond fastest_pcie_slot() {
  return *pcie_link_rate("PCIe6 x16");
}

}  // namespace clusterwright
