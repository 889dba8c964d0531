// SPDX-License-Identifier: Apache-2.0
/// Parts as a catalog describes them: every value with its source and whether it was checked there.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/enum_array.hpp"
#include "sim/quantity.hpp"
#include "sim/sourced.hpp"
#include "topology/parts/facility_parts.hpp"
#include "topology/parts/number_format.hpp"
#include "topology/parts/pcie_spec.hpp"
#include "topology/parts/transport.hpp"

namespace clusterwright {

/// Wiring between the accelerators of a scale-up domain.
///
/// switched: each has all its links on switches (NVSwitch); any pair can use the full bandwidth of one accelerator.
/// mesh: direct links to each of the others (NVLink mesh, xGMI, Ethernet on the board); a pair has one peer link.
/// torus: direct links to two neighbours along each side (Trainium, TPU); further ones are reached through them.
/// none: nothing faster than PCI Express.
enum class ScaleUpWiring { switched, mesh, torus, none };
inline constexpr std::array<std::string_view, 4> scale_up_wiring_names = {"switch", "mesh", "torus", "none"};
template <>
struct EnumNames<ScaleUpWiring> {
  static constexpr auto names = scale_up_wiring_names;
};

using SecondsPerMeter = decltype(second / meter);
using KilogramsPerMeter = decltype(kilogram / meter);

/// One accelerator package as software sees it. Bandwidths are per direction, rates dense.
struct AcceleratorPart {
  AcceleratorPart();
  AcceleratorPart(const AcceleratorPart&);
  AcceleratorPart(AcceleratorPart&&) noexcept;
  AcceleratorPart& operator=(const AcceleratorPart&);
  AcceleratorPart& operator=(AcceleratorPart&&) noexcept;
  ~AcceleratorPart();

  std::string id;
  std::string like;  ///< accelerator of the catalog that an own part was derived from; its parameters serve
  std::string vendor;
  std::string architecture;                                          ///< "Hopper"; empty where the vendor names none
  std::optional<Sourced<int>> year;                                  ///< year of the announcement
  std::map<std::string, Sourced<FlopsPerSecond>> peak_dense_tflops;  ///< rates by number format
  std::map<std::string, Sourced<FlopsPerSecond>> best_gemm_tflops;   ///< best measured matrix multiply, by format
  Sourced<Bytes> memory;                                             ///< capacity of the data sheet
  std::optional<Sourced<Bytes>> addressable_memory;  ///< capacity that the driver reports, where it differs
  Sourced<BytesPerSecond> memory_bandwidth;
  std::optional<Sourced<Bytes>> cache;       ///< last level, on the package
  std::optional<Sourced<Bytes>> scratchpad;  ///< on-chip memory that software manages
  std::optional<Sourced<int>> multiprocessors;
  std::optional<Sourced<double>>
      exponentials_per_clock;  ///< of one multiprocessor; absent: 16, as of all but the newest
  std::optional<Sourced<double>> boost_mhz;
  std::optional<Sourced<double>> max_mhz;  ///< highest clock that can be set
  Sourced<Watts> power;                    ///< rated board power
  std::optional<Watts> power_limit;        ///< set by the operator of a machine, below the rating; in no file of parts
  std::optional<Sourced<Watts>> idle_power;  ///< no context
  std::optional<Sourced<Watts>> min_power_limit;
  std::string scale_up_kind;  ///< "NVLink 4"; empty if it has none
  std::optional<Sourced<BytesPerSecond>> scale_up_bandwidth;
  std::optional<Sourced<BytesPerSecond>> peer_bandwidth;  ///< rate to one neighbour, where links are not switched
  std::optional<Sourced<int>> scale_up_links;
  std::optional<Sourced<int>> scale_up_domain;        ///< accelerators that reach each other over it
  std::optional<Sourced<bool>> scale_up_beyond_node;  ///< the domain spans nodes, as in a rack that acts as one
  std::optional<Sourced<ScaleUpWiring>> scale_up;     ///< mesh where a peer rate is given, else switched, if absent
  std::optional<Sourced<bool>> switch_reduction;      ///< switches of the domain can reduce (NVLink SHARP)
  std::map<std::string, Sourced<int>> torus;          ///< x, y, z of the largest torus; empty for other shapes
  std::string host_link;                              ///< "PCIe5 x16"; empty if not known
  std::optional<Sourced<BytesPerSecond>> host_bandwidth;
  std::optional<Sourced<BytesPerSecond>> measured_host_bandwidth;
  std::map<std::string, Sourced<double>> thermal_c;  ///< max_operating, slowdown, shutdown, memory_max_operating
  std::map<std::string, Sourced<double>> price_usd;  ///< low, high, list
  std::string note;

  /// Whether a power limit can be modelled: it acts on the clock.
  bool has_known_clock() const { return boost_mhz || multiprocessors; }
  /// The limit that its operator has set, or the rating.
  Watts limit_or_rating() const { return power_limit.value_or(power.value); }
};
const Record<AcceleratorPart>& record(const AcceleratorPart*);

/// Idle power of the data sheet; a tenth of the rating, which is usual, where it names none.
Watts stated_idle_power(const AcceleratorPart& part);

/// "Hopper" of "Hopper (export)"; empty where the vendor names none.
std::string architecture_of(const AcceleratorPart& part);

/// Id in lower case, as files and parameter sets are named.
std::string file_name_of(const AcceleratorPart& part);

/// Bytes that a job can use: what the driver reports, else the data sheet's.
Bytes memory_capacity(const AcceleratorPart& part);

/// Peak rate in a format; bf16 and fp16 stand for each other where a data sheet gives only one.
/// @return zero if the part has no such units
FlopsPerSecond peak(const AcceleratorPart& part, NumberFormat format);

struct NicPart {
  NicPart();
  NicPart(const NicPart&);
  NicPart(NicPart&&) noexcept;
  NicPart& operator=(const NicPart&);
  NicPart& operator=(NicPart&&) noexcept;
  ~NicPart();

  std::string id;
  Sourced<BytesPerSecond> rate;  ///< one direction
  std::optional<Sourced<Watts>> typical_power;
  std::optional<Sourced<Watts>> max_power;
  std::optional<Sourced<Seconds>> latency;
  std::optional<Sourced<int>> ports;
  std::string host_link;  ///< "PCIe5 x16"; "accelerator" for ports of the accelerator itself; empty if not known
  std::vector<Transport> transports;  ///< those that it speaks; empty if not known
  std::map<std::string, Sourced<double>> price_usd;
  std::string note;
};
const Record<NicPart>& record(const NicPart*);

struct SwitchPart {
  SwitchPart();
  SwitchPart(const SwitchPart&);
  SwitchPart(SwitchPart&&) noexcept;
  SwitchPart& operator=(const SwitchPart&);
  SwitchPart& operator=(SwitchPart&&) noexcept;
  ~SwitchPart();

  std::string id;
  std::string fabric;  ///< "InfiniBand NDR"
  Sourced<int> ports;
  std::optional<Sourced<int>> cages;  ///< cages that modules and cables plug into; as many as ports if absent
  std::optional<Sourced<BytesPerSecond>> port_rate;  ///< one direction; unknown for circuit switches
  std::optional<Sourced<Seconds>> latency;
  std::optional<Sourced<Watts>> typical_power;
  std::optional<Sourced<Watts>> max_power;      ///< modules in the cages included
  std::optional<Sourced<Watts>> passive_power;  ///< power with passive cables only
  std::optional<Sourced<double>> rack_units;
  std::optional<Sourced<Kilograms>> mass;
  std::string power_supply;  ///< one of its power supplies, in the catalog
  std::optional<Sourced<int>> power_supply_count;
  std::map<std::string, Sourced<double>> price_usd;
  std::string note;
};
const Record<SwitchPart>& record(const SwitchPart*);

/// copper: passive, with its ends. active_copper, active_optical: likewise, with electronics in the ends.
/// module: a transceiver for one end of a fibre. fibre: bare, between two modules. backplane: built into a rack.
enum class CableKind { copper, active_copper, active_optical, module, fibre, backplane };
inline constexpr std::array<std::string_view, 6> cable_kind_names = {"copper", "active_copper", "active_optical",
                                                                     "module", "fibre",         "backplane"};

/// A cable with its ends, a transceiver, or bare fibre.
struct CablePart {
  CablePart();
  CablePart(const CablePart&);
  CablePart(CablePart&&) noexcept;
  CablePart& operator=(const CablePart&);
  CablePart& operator=(CablePart&&) noexcept;
  ~CablePart();

  std::string id;
  std::optional<CableKind> kind;
  std::optional<Sourced<BytesPerSecond>> rate;  ///< rate of one link, one direction
  int links = 1;                                ///< links that one cable or module carries
  bool splits = false;        ///< the links of one end go to as many places: one switch cage, two nodes
  std::string fibre;          ///< id of the fibre that a module needs
  std::string scale_up_kind;  ///< scale-up links of a backplane: "NVLink 5"
  std::optional<Sourced<int>> pairs_per_link;  ///< twinax pairs of a backplane for one link of an accelerator
  std::optional<Sourced<Meters>> reach;
  std::optional<Sourced<Watts>> power_per_end;
  std::optional<Sourced<Watts>> max_power_per_end;
  std::optional<Sourced<SecondsPerMeter>> delay;
  std::optional<Sourced<KilogramsPerMeter>> mass_per_length;
  std::optional<Sourced<Kilograms>> mass;  ///< mass of a whole cartridge
  std::optional<Sourced<Meters>> bend_radius;
  std::optional<Sourced<Meters>> diameter;
  std::map<std::string, Sourced<double>> price_usd;        ///< price of the whole part, without its length
  std::map<std::string, Sourced<double>> price_usd_per_m;  ///< and of each metre
  std::string note;
};
const Record<CablePart>& record(const CablePart*);

/// Server, cloud instance, or rack that is sold as one machine. Fills in what a NodeSpec leaves out.
struct NodePart {
  NodePart();
  NodePart(const NodePart&);
  NodePart(NodePart&&) noexcept;
  NodePart& operator=(const NodePart&);
  NodePart& operator=(NodePart&&) noexcept;
  ~NodePart();

  std::string id;
  std::string accelerator;  ///< words of the vendor
  std::string cooling;      ///< words of the vendor
  std::string accelerator_id;
  std::optional<Sourced<int>> accelerator_count;
  std::string nic_id;  ///< NIC of the training network; NICs for storage and the host do not count
  std::optional<Sourced<int>> nic_count;
  std::optional<Sourced<int>> nic_cages;           ///< cages of these NICs; one for each NIC if absent
  std::optional<Sourced<ScaleUpWiring>> scale_up;  ///< the accelerator's if absent
  std::optional<Sourced<int>> scale_up_domain;     ///< likewise
  std::vector<int> scale_up_torus;
  std::optional<PcieSpec> pcie;
  std::optional<Sourced<std::string>> pcie_words;  ///< the same for people, with its source
  std::optional<Sourced<Watts>> host_power;  ///< under load, without accelerators; from max or typical power if absent
  std::optional<Sourced<std::string>> processors;
  std::optional<Sourced<std::string>> nics;
  std::string power_supply;  ///< one of its power supplies, in the catalog
  std::optional<Sourced<int>> power_supply_count;
  std::optional<Sourced<int>> cores;  ///< cores of all processors
  std::optional<Sourced<Bytes>> host_memory;
  std::optional<Sourced<BytesPerSecond>> host_memory_bandwidth;  ///< all sockets, reads and writes together
  std::optional<Sourced<Bytes>> nvme;                            ///< drives for data, without those that it boots from
  std::optional<Sourced<BytesPerSecond>> nvme_read;              ///< all of them together
  std::optional<Sourced<BytesPerSecond>> nvme_write;
  std::optional<Sourced<Watts>> max_power;
  std::optional<Sourced<Watts>> typical_power;
  std::optional<Sourced<Watts>> idle_power;
  std::optional<Sourced<double>> rack_units;
  std::optional<Sourced<Kilograms>> mass;
  std::string machine;                          ///< the part that it is sold as a share of: trays of a rack
  std::optional<Sourced<bool>> needs_liquid;    ///< cannot be cooled by air alone
  std::optional<Sourced<bool>> only_air;        ///< not sold with cold plates or for tanks
  std::optional<Sourced<double>> most_inlet_c;  ///< warmest air that it may take in
  std::optional<Sourced<double>> liquid_share;  ///< share of its heat that liquid removes, where the vendor gives it
  std::optional<Sourced<int>> switch_trays;     ///< trays of scale-up switches in a rack that is sold as one machine
  std::map<std::string, Sourced<double>> price_usd;
  bool rented = false;  ///< instance of a cloud: nobody sells it
  std::string no_rack;  ///< why it has no place in a rack; empty for servers, and for trays and racks of machines
  std::string note;
};
const Record<NodePart>& record(const NodePart*);

/// Source of facts. A fact names the id of one, optionally followed by ": " and details.
struct FactSource {
  std::string title;
  std::string url;
  std::string note;
};
const Record<FactSource>& record(const FactSource*);

/// Dense 16-bit peak over rated board power, TFLOP/s per watt: 0.8 (A100) to 2.2 (B200) where kernels were measured.
/// The more FLOPs a watt has to pay for, the further below its peak a part stays.
inline double power_density(const AcceleratorPart& part) {
  return peak(part, NumberFormat::bf16) / (1 * teraflop_per_second) / (part.power.value / (1 * watt));
}

}  // namespace clusterwright
