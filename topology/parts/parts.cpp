// SPDX-License-Identifier: Apache-2.0
#include "topology/parts/parts.hpp"

#include <cctype>

#include "sim/field_table.hpp"

namespace clusterwright {

// Copied and moved here, not in every file that holds one: their members are many.
AcceleratorPart::AcceleratorPart() = default;
AcceleratorPart::AcceleratorPart(const AcceleratorPart&) = default;
AcceleratorPart::AcceleratorPart(AcceleratorPart&&) noexcept = default;
AcceleratorPart& AcceleratorPart::operator=(const AcceleratorPart&) = default;
AcceleratorPart& AcceleratorPart::operator=(AcceleratorPart&&) noexcept = default;
AcceleratorPart::~AcceleratorPart() = default;

NicPart::NicPart() = default;
NicPart::NicPart(const NicPart&) = default;
NicPart::NicPart(NicPart&&) noexcept = default;
NicPart& NicPart::operator=(const NicPart&) = default;
NicPart& NicPart::operator=(NicPart&&) noexcept = default;
NicPart::~NicPart() = default;

SwitchPart::SwitchPart() = default;
SwitchPart::SwitchPart(const SwitchPart&) = default;
SwitchPart::SwitchPart(SwitchPart&&) noexcept = default;
SwitchPart& SwitchPart::operator=(const SwitchPart&) = default;
SwitchPart& SwitchPart::operator=(SwitchPart&&) noexcept = default;
SwitchPart::~SwitchPart() = default;

CablePart::CablePart() = default;
CablePart::CablePart(const CablePart&) = default;
CablePart::CablePart(CablePart&&) noexcept = default;
CablePart& CablePart::operator=(const CablePart&) = default;
CablePart& CablePart::operator=(CablePart&&) noexcept = default;
CablePart::~CablePart() = default;

NodePart::NodePart() = default;
NodePart::NodePart(const NodePart&) = default;
NodePart::NodePart(NodePart&&) noexcept = default;
NodePart& NodePart::operator=(const NodePart&) = default;
NodePart& NodePart::operator=(NodePart&&) noexcept = default;
NodePart::~NodePart() = default;

template <>
struct EnumNames<CableKind> {
  static constexpr auto names = cable_kind_names;
};

namespace {

constexpr std::array<std::string_view, 3> torus_keys{"x", "y", "z"};
constexpr std::array<std::string_view, 4> temperature_keys{"max_operating", "slowdown", "shutdown",
                                                           "memory_max_operating"};

FieldRule price_rule() {
  return {.help = "low and high end of prices paid, and the list price", .min = 0, .map_keys = price_keys};
}

/// Rule for a rate by number format.
FieldRule rate_rule(const char* help) {
  return {.help = help, .min = 0, .above_min = true, .map_keys = number_format_names};
}

/// Fields that every part ends with.
template <class Part>
Record<Part> with_price_and_notes(Record<Part> table) {
  return std::move(table.optional("price_usd", &Part::price_usd, price_rule())
                       .optional("note", &Part::note, {.help = "remark for readers"}));
}

Record<AcceleratorPart> accelerator_compute() {
  using Part = AcceleratorPart;
  Record<Part> table("accelerator", "One accelerator package as software sees it");
  table.required("id", &Part::id, {.help = "name that clusters refer to"})
      .optional(
          "like", &Part::like,
          {.help = "accelerator of the catalog that an own part of a cluster is derived from: fields that are left "
                   "out are its own, and the parameters measured on it serve",
           .catalog = "accelerators"})
      .required("vendor", &Part::vendor, {.help = "who makes it"})
      .optional("architecture", &Part::architecture, {.help = "generation, such as Hopper"})
      .optional("year", &Part::year, {.help = "year of the announcement", .min = 1990, .max = 2100})
      .required("peak_dense_tflops", &Part::peak_dense_tflops,
                rate_rule("data-sheet peak without sparsity, by number format"))
      .optional("best_gemm_tflops", &Part::best_gemm_tflops, rate_rule("best measured GEMM rate, by number format"))
      .required("memory_gb", &Part::memory, {.help = "main memory of the accelerator", .min = 0, .above_min = true})
      .optional("addressable_memory_gb", &Part::addressable_memory,
                {.help = "capacity that the driver reports, where it differs from the data sheet",
                 .min = 0,
                 .above_min = true})
      .required("memory_bandwidth_tb_per_s", &Part::memory_bandwidth,
                {.help = "data-sheet bandwidth of main memory", .min = 0, .above_min = true})
      .optional("cache_mb", &Part::cache, {.help = "last-level cache", .min = 0})
      .optional("scratchpad_mb", &Part::scratchpad, {.help = "on-chip memory managed by software", .min = 0})
      .optional(
          "multiprocessors", &Part::multiprocessors,
          {.help = "streaming multiprocessors, compute units or cores that share one GEMM", .min = 1, .max = 65536})
      .optional("exponentials_per_clock", &Part::exponentials_per_clock,
                {.help = "exponentials that one multiprocessor finishes in a clock; 16 unless said otherwise",
                 .min = 1,
                 .max = 1024})
      .optional("boost_mhz", &Part::boost_mhz, {.help = "clock at which the data sheet states the peak", .min = 0})
      .optional("max_mhz", &Part::max_mhz, {.help = "highest clock that can be set", .min = 0});
  return table;
}

void add_links(Record<AcceleratorPart>& table) {
  using Part = AcceleratorPart;
  table
      .optional("scale_up_kind", &Part::scale_up_kind,
                {.help = "generation of the scale-up links, such as NVLink 4; empty without scale-up links"})
      .optional("scale_up_bandwidth_gb_per_s", &Part::scale_up_bandwidth,
                {.help = "bandwidth of all scale-up links of one accelerator together, one direction",
                 .min = 0,
                 .above_min = true})
      .optional("peer_bandwidth_gb_per_s", &Part::peer_bandwidth,
                {.help = "bandwidth to one neighbour where links are not switched, one direction",
                 .min = 0,
                 .above_min = true})
      .optional("scale_up_links", &Part::scale_up_links,
                {.help = "number of scale-up links of one accelerator", .min = 1, .max = 4096})
      .optional("scale_up_domain", &Part::scale_up_domain,
                {.help = "number of accelerators that reach each other over scale-up links", .min = 1, .max = 65536})
      .optional("scale_up_beyond_node", &Part::scale_up_beyond_node,
                {.help = "whether the scale-up domain spans several nodes, as in a rack that acts as one"})
      .optional(
          "scale_up", &Part::scale_up,
          {.help =
               "wiring of the scale-up links; if not given, mesh where peer_bandwidth_gb_per_s is given, else switch"})
      .optional("switch_reduction", &Part::switch_reduction,
                {.help = "whether the switches of the scale-up domain can reduce (as NVLink SHARP does)"})
      .optional("torus", &Part::torus,
                {.help = "sides of the largest torus", .min = 1, .max = 65536, .map_keys = torus_keys})
      .optional("host_link", &Part::host_link, {.help = "kind of the link to the host, such as PCIe5 x16"})
      .optional("host_bandwidth_gb_per_s", &Part::host_bandwidth,
                {.help = "data-sheet bandwidth to the host, one direction", .min = 0, .above_min = true})
      .optional("measured_host_bandwidth_gb_per_s", &Part::measured_host_bandwidth,
                {.help = "measured bandwidth to the host, one direction", .min = 0, .above_min = true});
}

void add_power(Record<AcceleratorPart>& table) {
  using Part = AcceleratorPart;
  table.required("power_w", &Part::power, {.help = "rated board power", .min = 0, .above_min = true})
      .optional("idle_power_w", &Part::idle_power, {.help = "power while no program runs", .min = 0})
      .optional("min_power_limit_w", &Part::min_power_limit, {.help = "lowest power cap that can be set", .min = 0})
      .optional("thermal_c", &Part::thermal_c,
                {.help = "temperature limits", .min = -50, .map_keys = temperature_keys});
}

Record<AcceleratorPart> accelerator_table() {
  Record<AcceleratorPart> table = accelerator_compute();
  add_links(table);
  add_power(table);
  return with_price_and_notes(std::move(table));
}

Record<NicPart> nic_table() {
  using Part = NicPart;
  Record<Part> table("nic", "A network adapter");
  table.required("id", &Part::id, {.help = "name that clusters refer to"})
      .required("rate_gbit_per_s", &Part::rate,
                {.help = "rate of all ports together, one direction", .min = 0, .above_min = true})
      .optional("ports", &Part::ports, {.help = "number of network ports", .min = 1, .max = 65536})
      .optional(
          "host_link", &Part::host_link,
          {.help = "kind of the link to the host, such as PCIe5 x16; accelerator: ports of the accelerator itself"})
      .optional("transports", &Part::transports,
                {.help = "network protocols that it speaks; not checked if not given", .max_elements = 4})
      .optional("latency_us", &Part::latency, {.help = "latency through the adapter, one way", .min = 0})
      .optional("typical_power_w", &Part::typical_power, {.help = "typical power, transceivers excluded", .min = 0})
      .optional("max_power_w", &Part::max_power, {.help = "maximum power, transceivers excluded", .min = 0});
  return with_price_and_notes(std::move(table));
}

const FieldRule supply_rule{.help = "one of its power supplies", .catalog = "power_supplies"};
const FieldRule supplies_rule{.help = "number of its power supplies, redundant ones included", .min = 1, .max = 1000};

Record<SwitchPart> switch_table() {
  using Part = SwitchPart;
  Record<Part> table("switch", "A switch of the network or of the scale-up links");
  table.required("id", &Part::id, {.help = "name that clusters refer to"})
      .optional("fabric", &Part::fabric, {.help = "network technology, such as InfiniBand NDR"})
      .required("ports", &Part::ports, {.help = "number of ports at port_rate_gbit_per_s", .min = 1, .max = 65536})
      .optional("cages", &Part::cages,
                {.help = "cages for modules and cables; as many as ports if not given", .min = 1, .max = 65536})
      .optional("port_rate_gbit_per_s", &Part::port_rate,
                {.help = "rate of one port, one direction", .min = 0, .above_min = true})
      .optional("latency_ns", &Part::latency, {.help = "latency from port to port", .min = 0})
      .optional("typical_power_w", &Part::typical_power, {.help = "power under load", .min = 0})
      .optional("max_power_w", &Part::max_power, {.help = "maximum power, modules in the cages included", .min = 0})
      .optional("passive_power_w", &Part::passive_power, {.help = "power with passive cables only", .min = 0})
      .optional("height_u", &Part::rack_units, {.help = "height in the rack", .min = 0})
      .optional("mass_kg", &Part::mass, {.help = "mass without cables", .min = 0})
      .optional("power_supply", &Part::power_supply, supply_rule)
      .optional("power_supply_count", &Part::power_supply_count, supplies_rule);
  return with_price_and_notes(std::move(table));
}

Record<CablePart> cable_table() {
  using Part = CablePart;
  Record<Part> table("cable", "A cable with its ends, a transceiver, or bare fibre");
  table.required("id", &Part::id, {.help = "name"})
      .optional("kind", &Part::kind, {.help = "kind of cable; cable plans ignore parts without a kind"})
      .optional("rate_gbit_per_s", &Part::rate,
                {.help = "rate of one link, one direction", .min = 0, .above_min = true})
      .optional("links", &Part::links,
                {.help = "number of links that one cable or module carries", .min = 1, .max = 64})
      .optional("splits", &Part::splits,
                {.help = "whether the links of one end go to different places: one switch cage, two nodes"})
      .optional("fibre", &Part::fibre, {.help = "fibre that a module needs, another part", .catalog = "cables"})
      .optional("scale_up_kind", &Part::scale_up_kind, {.help = "links that a backplane carries, such as NVLink 5"})
      .optional("pairs_per_link", &Part::pairs_per_link,
                {.help = "twinax cables of a backplane for one link of an accelerator", .min = 1, .max = 1024})
      .optional("reach_m", &Part::reach, {.help = "maximum length", .min = 0})
      .optional("power_per_end_w", &Part::power_per_end, {.help = "typical power at each end", .min = 0})
      .optional("max_power_per_end_w", &Part::max_power_per_end, {.help = "maximum power at each end", .min = 0})
      .optional("delay_ns_per_m", &Part::delay, {.help = "propagation delay", .min = 0})
      .optional("mass_kg_per_m", &Part::mass_per_length, {.help = "mass per length of cable", .min = 0})
      .optional("mass_kg", &Part::mass, {.help = "mass of the whole part", .min = 0})
      .optional("bend_radius_m", &Part::bend_radius, {.help = "smallest bend radius", .min = 0})
      .optional("diameter_m", &Part::diameter, {.help = "diameter of one cable", .min = 0})
      .optional("price_usd_per_m", &Part::price_usd_per_m,
                {.help = "low and high end, or list price, of each metre, beside price_usd",
                 .min = 0,
                 .max = 1e4,
                 .map_keys = price_keys});
  return with_price_and_notes(std::move(table));
}

void add_wiring(Record<NodePart>& table) {
  using Part = NodePart;
  table
      .optional("accelerator_id", &Part::accelerator_id, {.help = "accelerator of the node", .catalog = "accelerators"})
      .optional("accelerator_count", &Part::accelerator_count,
                {.help = "accelerators in one node", .min = 1, .max = 65536})
      .optional("nic_id", &Part::nic_id, {.help = "NIC of the training network", .catalog = "nics"})
      .optional("nic_count", &Part::nic_count,
                {.help = "NICs of the training network in one node", .min = 0, .max = 4096})
      .optional("nic_cages", &Part::nic_cages,
                {.help = "cages for the cables of these NICs; one per NIC if not given", .min = 1, .max = 4096})
      .optional("scale_up", &Part::scale_up,
                {.help = "wiring of the scale-up links; the accelerator's own if not given"})
      .optional("scale_up_domain", &Part::scale_up_domain,
                {.help = "number of accelerators that reach each other over scale-up links", .min = 1, .max = 65536})
      .optional("scale_up_torus", &Part::scale_up_torus,
                {.help = "sides of the torus that the scale-up links form", .min = 1, .max = 65536, .max_elements = 3})
      .optional("pcie", &Part::pcie, {.help = "PCI Express tree, where it differs from the defaults"})
      .optional("pcie_words", &Part::pcie_words, {.help = "PCI Express tree in words, with its source"})
      .optional("host_power_w", &Part::host_power,
                {.help = "power of the node under load without its accelerators; typical power less that of the "
                         "accelerators if not given",
                 .min = 0});
}

void add_host(Record<NodePart>& table) {
  using Part = NodePart;
  table.optional("cores", &Part::cores, {.help = "cores of all host processors", .min = 1, .max = 65536})
      .optional("host_memory_gb", &Part::host_memory, {.help = "capacity of host memory", .min = 0})
      .optional(
          "host_memory_gb_per_s", &Part::host_memory_bandwidth,
          {.help = "bandwidth of host memory, all sockets, reads and writes together", .min = 0, .above_min = true})
      .optional("nvme_gb", &Part::nvme, {.help = "capacity of the data drives", .min = 0, .above_min = true})
      .optional("nvme_read_gb_per_s", &Part::nvme_read,
                {.help = "read rate of all data drives together", .min = 0, .above_min = true})
      .optional("nvme_write_gb_per_s", &Part::nvme_write,
                {.help = "write rate of all data drives together", .min = 0, .above_min = true});
}

Record<NodePart> node_table() {
  using Part = NodePart;
  Record<Part> table("node", "A server, or a rack that is sold as one machine");
  table.required("id", &Part::id, {.help = "name that clusters refer to"})
      .optional("accelerator", &Part::accelerator, {.help = "number and kind of accelerators, in the vendor's words"})
      .optional("cooling", &Part::cooling, {.help = "cooling, in the vendor's words"});
  add_wiring(table);
  add_host(table);
  table.optional("processors", &Part::processors, {.help = "host processors"})
      .optional("nics", &Part::nics, {.help = "network adapters"})
      .optional("power_supply", &Part::power_supply, supply_rule)
      .optional("power_supply_count", &Part::power_supply_count, supplies_rule)
      .optional("max_power_kw", &Part::max_power, {.help = "maximum power", .min = 0})
      .optional("typical_power_kw", &Part::typical_power, {.help = "power under a training load", .min = 0})
      .optional("idle_power_kw", &Part::idle_power, {.help = "power while idle", .min = 0})
      .optional("height_u", &Part::rack_units, {.help = "height in the rack", .min = 0})
      .optional("mass_kg", &Part::mass, {.help = "mass as installed", .min = 0})
      .optional("machine", &Part::machine,
                {.help = "rack-scale machine of which this entry is one tray", .catalog = "nodes"})
      .optional("needs_liquid", &Part::needs_liquid, {.help = "whether the node needs liquid cooling"})
      .optional("only_air", &Part::only_air,
                {.help = "whether the node is sold for air only: neither with cold plates nor for immersion"})
      .optional("most_inlet_c", &Part::most_inlet_c, {.help = "warmest air at the inlet", .min = 0, .max = 60})
      .optional("liquid_share", &Part::liquid_share,
                {.help = "share of the node's heat that liquid removes", .min = 0, .max = 1})
      .optional(
          "switch_trays", &Part::switch_trays,
          {.help = "trays with scale-up switches, for a rack that is sold as one machine", .min = 1, .max = 1024});
  table
      .optional("rented", &Part::rented,
                {.help = "whether it is an instance of a cloud, which is rented by the hour and not for sale"})
      .optional("no_rack", &Part::no_rack, {.help = "why the node has no place in a rack, and what to plan instead"});
  return with_price_and_notes(std::move(table));
}

}  // namespace

const Record<AcceleratorPart>& record(const AcceleratorPart*) {
  static const Record<AcceleratorPart> table = accelerator_table();
  return table;
}

const Record<NicPart>& record(const NicPart*) {
  static const Record<NicPart> table = nic_table();
  return table;
}

const Record<SwitchPart>& record(const SwitchPart*) {
  static const Record<SwitchPart> table = switch_table();
  return table;
}

const Record<CablePart>& record(const CablePart*) {
  static const Record<CablePart> table = cable_table();
  return table;
}

const Record<NodePart>& record(const NodePart*) {
  static const Record<NodePart> table = node_table();
  return table;
}

const Record<FactSource>& record(const FactSource*) {
  static const auto table = Record<FactSource>("source", "A source of facts")
                                .required("title", &FactSource::title, {.help = "title of the source"})
                                .optional("url", &FactSource::url, {.help = "address where it was read"})
                                .optional("note", &FactSource::note, {.help = "how reliable it is"});
  return table;
}

Watts stated_idle_power(const AcceleratorPart& part) {
  return part.idle_power ? part.idle_power->value : 0.1 * part.power.value;
}

std::string architecture_of(const AcceleratorPart& part) {
  return part.architecture.substr(0, part.architecture.find(' '));
}

std::string file_name_of(const AcceleratorPart& part) {
  std::string name = part.id;
  for (char& letter : name) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return name;
}

Bytes memory_capacity(const AcceleratorPart& part) {
  return part.addressable_memory ? part.addressable_memory->value : part.memory.value;
}

FlopsPerSecond peak(const AcceleratorPart& part, NumberFormat format) {
  const auto stated = [&](NumberFormat f) {
    const auto found = part.peak_dense_tflops.find(std::string(enum_name(f)));
    return found == part.peak_dense_tflops.end() ? FlopsPerSecond{} : found->second.value;
  };
  const FlopsPerSecond rate = stated(format);
  if (rate > FlopsPerSecond{}) return rate;
  if (format == NumberFormat::bf16) return stated(NumberFormat::fp16);
  return format == NumberFormat::fp16 ? stated(NumberFormat::bf16) : rate;
}

}  // namespace clusterwright
