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
  return {.help = "low and high of what is paid; list price", .min = 0, .map_keys = price_keys};
}

/// Rule for a rate by number format.
FieldRule rate_rule(const char* help) {
  return {.help = help, .min = 0, .above_min = true, .map_keys = number_format_names};
}

/// Fields that every part ends with.
template <class Part>
Record<Part> with_price_and_notes(Record<Part> table) {
  return std::move(table.optional("price_usd", &Part::price_usd, price_rule())
                       .optional("note", &Part::note, {.help = "for people"}));
}

Record<AcceleratorPart> accelerator_compute() {
  using Part = AcceleratorPart;
  Record<Part> table("accelerator", "One accelerator package as software sees it");
  table.required("id", &Part::id, {.help = "name that clusters refer to"})
      .required("vendor", &Part::vendor, {.help = "who makes it"})
      .optional("architecture", &Part::architecture, {.help = "generation, such as Hopper"})
      .optional("year", &Part::year, {.help = "announced in", .min = 1990, .max = 2100})
      .required("peak_dense_tflops", &Part::peak_dense_tflops,
                rate_rule("data-sheet peak without sparsity, by number format"))
      .optional("best_gemm_tflops", &Part::best_gemm_tflops,
                rate_rule("best measured matrix multiply, by number format"))
      .required("memory_gb", &Part::memory, {.help = "main memory of the accelerator", .min = 0, .above_min = true})
      .optional("addressable_memory_gb", &Part::addressable_memory,
                {.help = "what the driver reports, where that is another number", .min = 0, .above_min = true})
      .required("memory_bandwidth_tb_per_s", &Part::memory_bandwidth,
                {.help = "of that memory, data-sheet", .min = 0, .above_min = true})
      .optional("cache_mb", &Part::cache, {.help = "last-level cache", .min = 0})
      .optional("scratchpad_mb", &Part::scratchpad, {.help = "on-chip memory managed by software", .min = 0})
      .optional("multiprocessors", &Part::multiprocessors,
                {.help = "streaming multiprocessors, compute units or cores that share a matrix multiply", .min = 1})
      .optional("boost_mhz", &Part::boost_mhz, {.help = "clock that the peak is stated at", .min = 0})
      .optional("max_mhz", &Part::max_mhz, {.help = "highest clock that can be set", .min = 0});
  return table;
}

void add_links(Record<AcceleratorPart>& table) {
  using Part = AcceleratorPart;
  table.optional("scale_up_kind", &Part::scale_up_kind, {.help = "such as NVLink 4; empty without scale-up links"})
      .optional("scale_up_bandwidth_gb_per_s", &Part::scale_up_bandwidth,
                {.help = "all links of one accelerator together, one direction", .min = 0, .above_min = true})
      .optional("peer_bandwidth_gb_per_s", &Part::peer_bandwidth,
                {.help = "to one neighbour where links are not switched, one direction", .min = 0, .above_min = true})
      .optional("scale_up_links", &Part::scale_up_links, {.help = "links of one accelerator", .min = 1})
      .optional("scale_up_domain", &Part::scale_up_domain,
                {.help = "accelerators that reach each other over these links", .min = 1})
      .optional("scale_up_beyond_node", &Part::scale_up_beyond_node,
                {.help = "the domain spans several nodes, as in a rack that acts as one"})
      .optional("scale_up", &Part::scale_up,
                {.help = "how the links are wired; mesh where the rate to one neighbour is given, else switch, if not "
                         "given"})
      .optional("switch_reduction", &Part::switch_reduction, {.help = "the switches of the domain can reduce"})
      .optional("torus", &Part::torus, {.help = "sides of the largest torus", .min = 1, .map_keys = torus_keys})
      .optional("host_link", &Part::host_link, {.help = "such as PCIe5 x16"})
      .optional("host_bandwidth_gb_per_s", &Part::host_bandwidth,
                {.help = "to the host, one direction", .min = 0, .above_min = true})
      .optional("measured_host_bandwidth_gb_per_s", &Part::measured_host_bandwidth,
                {.help = "the same, measured", .min = 0, .above_min = true});
}

void add_power(Record<AcceleratorPart>& table) {
  using Part = AcceleratorPart;
  table.required("power_w", &Part::power, {.help = "rated board power", .min = 0, .above_min = true})
      .optional("idle_power_w", &Part::idle_power, {.help = "without a program on it", .min = 0})
      .optional("min_power_limit_w", &Part::min_power_limit, {.help = "lowest power cap that can be set", .min = 0})
      .optional("thermal_c", &Part::thermal_c, {.help = "temperature limits", .map_keys = temperature_keys});
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
                {.help = "all ports together, one direction", .min = 0, .above_min = true})
      .optional("ports", &Part::ports, {.help = "network ports", .min = 1})
      .optional("host_link", &Part::host_link, {.help = "such as PCIe5 x16"})
      .optional("latency_us", &Part::latency, {.help = "one way through the adapter", .min = 0})
      .optional("typical_power_w", &Part::typical_power, {.help = "without transceivers", .min = 0})
      .optional("max_power_w", &Part::max_power, {.help = "without transceivers", .min = 0});
  return with_price_and_notes(std::move(table));
}

Record<SwitchPart> switch_table() {
  using Part = SwitchPart;
  Record<Part> table("switch", "A switch of the network or of the scale-up links");
  table.required("id", &Part::id, {.help = "name that clusters refer to"})
      .optional("fabric", &Part::fabric, {.help = "such as InfiniBand NDR"})
      .required("ports", &Part::ports, {.help = "at the rate of one port", .min = 1})
      .optional("cages", &Part::cages,
                {.help = "that modules and cables plug into; as many as ports if not given", .min = 1})
      .optional("port_rate_gbit_per_s", &Part::port_rate, {.help = "one direction", .min = 0, .above_min = true})
      .optional("latency_ns", &Part::latency, {.help = "port to port", .min = 0})
      .optional("typical_power_w", &Part::typical_power, {.help = "under load", .min = 0})
      .optional("max_power_w", &Part::max_power, {.help = "at most, modules in the cages included", .min = 0})
      .optional("passive_power_w", &Part::passive_power, {.help = "with passive cables only", .min = 0})
      .optional("height_u", &Part::rack_units, {.help = "in a rack", .min = 0})
      .optional("mass_kg", &Part::mass, {.help = "without cables", .min = 0});
  return with_price_and_notes(std::move(table));
}

Record<CablePart> cable_table() {
  using Part = CablePart;
  Record<Part> table("cable", "A cable with its ends, a transceiver, or bare fibre");
  table.required("id", &Part::id, {.help = "name"})
      .optional("kind", &Part::kind, {.help = "what it is; without it, no plan takes it"})
      .optional("rate_gbit_per_s", &Part::rate, {.help = "of one link, one direction", .min = 0, .above_min = true})
      .optional("links", &Part::links, {.help = "that one cable or module carries", .min = 1, .max = 64})
      .optional("splits", &Part::splits,
                {.help = "the links of one end go to as many places: one cage of a switch, two nodes"})
      .optional("fibre", &Part::fibre, {.help = "that a module needs, another part", .catalog = "cables"})
      .optional("scale_up_kind", &Part::scale_up_kind, {.help = "of a backplane: whose links, such as NVLink 5"})
      .optional("pairs_per_link", &Part::pairs_per_link,
                {.help = "of a backplane: cables for one link of an accelerator", .min = 1})
      .optional("reach_m", &Part::reach, {.help = "longest link", .min = 0})
      .optional("power_per_end_w", &Part::power_per_end, {.help = "drawn at each end", .min = 0})
      .optional("max_power_per_end_w", &Part::max_power_per_end, {.help = "at most", .min = 0})
      .optional("delay_ns_per_m", &Part::delay, {.help = "propagation", .min = 0})
      .optional("mass_kg_per_m", &Part::mass_per_length, {.help = "of the cable", .min = 0})
      .optional("mass_kg", &Part::mass, {.help = "of the whole part", .min = 0})
      .optional("bend_radius_m", &Part::bend_radius, {.help = "smallest", .min = 0})
      .optional("diameter_m", &Part::diameter, {.help = "of one cable", .min = 0});
  return with_price_and_notes(std::move(table));
}

void add_wiring(Record<NodePart>& table) {
  using Part = NodePart;
  table.optional("accelerator_id", &Part::accelerator_id, {.help = "which part", .catalog = "accelerators"})
      .optional("accelerator_count", &Part::accelerator_count, {.help = "in one node", .min = 1})
      .optional("nic_id", &Part::nic_id, {.help = "which part; of the network for training", .catalog = "nics"})
      .optional("nic_count", &Part::nic_count, {.help = "in one node", .min = 0})
      .optional("nic_cages", &Part::nic_cages,
                {.help = "that their cables plug into; one for each NIC if not given", .min = 1})
      .optional("scale_up", &Part::scale_up,
                {.help = "how accelerators are wired; the accelerator's own way if not given"})
      .optional("scale_up_domain", &Part::scale_up_domain,
                {.help = "accelerators that reach each other by scale-up links", .min = 1})
      .optional("scale_up_torus", &Part::scale_up_torus,
                {.help = "sides, where these links form a torus", .min = 1, .max_elements = 3})
      .optional("pcie", &Part::pcie, {.help = "PCI Express, where it is not as the defaults say"})
      .optional("pcie_words", &Part::pcie_words, {.help = "the same in words, with its source"})
      .optional("host_power_w", &Part::host_power,
                {.help = "of the node without accelerators, under load; typical power less that of the accelerators if "
                         "not given",
                 .min = 0});
}

void add_host(Record<NodePart>& table) {
  using Part = NodePart;
  table.optional("cores", &Part::cores, {.help = "of all host processors", .min = 1})
      .optional("host_memory_gb", &Part::host_memory, {.help = "memory of the host", .min = 0})
      .optional("host_memory_gb_per_s", &Part::host_memory_bandwidth,
                {.help = "of all sockets, reads and writes together", .min = 0, .above_min = true})
      .optional("nvme_gb", &Part::nvme, {.help = "drives for data", .min = 0, .above_min = true})
      .optional("nvme_read_gb_per_s", &Part::nvme_read,
                {.help = "all these drives together", .min = 0, .above_min = true})
      .optional("nvme_write_gb_per_s", &Part::nvme_write,
                {.help = "all these drives together", .min = 0, .above_min = true});
}

Record<NodePart> node_table() {
  using Part = NodePart;
  Record<Part> table("node", "A server, or a rack that is sold as one machine");
  table.required("id", &Part::id, {.help = "name that clusters refer to"})
      .optional("accelerator", &Part::accelerator, {.help = "how many of which, as the vendor writes it"})
      .optional("cooling", &Part::cooling, {.help = "as the vendor writes it"});
  add_wiring(table);
  add_host(table);
  table.optional("processors", &Part::processors, {.help = "host processors"})
      .optional("nics", &Part::nics, {.help = "network adapters"})
      .optional("power_supplies", &Part::power_supplies, {.help = "power supply units"})
      .optional("max_power_kw", &Part::max_power, {.help = "the most that it draws", .min = 0})
      .optional("typical_power_kw", &Part::typical_power, {.help = "under a training load", .min = 0})
      .optional("idle_power_kw", &Part::idle_power, {.help = "doing nothing", .min = 0})
      .optional("height_u", &Part::rack_units, {.help = "in a rack", .min = 0})
      .optional("mass_kg", &Part::mass, {.help = "installed", .min = 0})
      .optional("machine", &Part::machine,
                {.help = "the entry that it is sold as a share of: trays of a rack", .catalog = "nodes"})
      .optional("needs_liquid", &Part::needs_liquid, {.help = "air alone cannot cool it"})
      .optional("liquid_share", &Part::liquid_share, {.help = "of its heat that liquid takes up", .min = 0, .max = 1})
      .optional("switch_trays", &Part::switch_trays,
                {.help = "of a rack that is sold as one machine: trays with switches of the scale-up links", .min = 1});
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
  static const auto table = Record<FactSource>("source", "Where facts come from")
                                .required("title", &FactSource::title, {.help = "what it is"})
                                .optional("url", &FactSource::url, {.help = "where it was read"})
                                .optional("note", &FactSource::note, {.help = "how far to trust it"});
  return table;
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
