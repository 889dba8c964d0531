// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nccl_topology.hpp"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "sim/json_reader.hpp"
#include "tools/import/log_lines.hpp"

namespace clusterwright {

namespace {

/// Walks <system>. Each instance reads once.
class NcclTopologyReader {
 public:
  explicit NcclTopologyReader(std::shared_ptr<const SourceText> source) : source_(std::move(source)) {}

  /// @throws ConfigError as read_nccl_topology, which found `system`
  NodeTopology read(const pugi::xml_node& system);

 private:
  /// Surroundings of an element: node of the file, processor, switches.
  struct Branch {
    NodeTopology* node = nullptr;
    PcieDevice pcie;
    bool on_pcie = false;
  };

  void read_processor(const pugi::xml_node& cpu);
  void read_devices(const pugi::xml_node& parent, const Branch& branch, int depth);
  void read_pci(const pugi::xml_node& pci, const Branch& above, int depth);
  void read_gpu(const pugi::xml_node& gpu, const Branch& branch);
  void read_links(const pugi::xml_node& gpu, TopologyGpu& out);
  void read_nics(const pugi::xml_node& nic, const Branch& branch);
  void read_net(const pugi::xml_node& net, const Branch& branch);
  PcieDevice device_of(const pugi::xml_node& pci, const PcieDevice& above);
  NodeTopology joined(const pugi::xml_node& system);
  NodeTopology node_with_switches(NodeTopology node) const;

  std::optional<int> integer(const pugi::xml_node& node, const char* name, int least, int most);
  std::uint32_t identifier(const pugi::xml_node& node, const char* name);
  PcieLink link_of(const pugi::xml_node& pci);
  NodeTopology& node_of(const pugi::xml_node& cpu);
  Place place(const pugi::xml_node& node) const;
  void error(std::string code, std::string message, std::vector<Place> places, std::string help = {});

  std::shared_ptr<const SourceText> source_;
  std::map<std::string, NodeTopology> nodes_;  ///< nodes by the hash of the host
  std::vector<std::string> order_;
  std::map<std::string, Place> addresses_;  ///< addresses of GPUs and NICs, after their host
  std::set<std::string> without_class_;     ///< targets of links
  std::vector<Diagnostic> errors_;
};

constexpr int deepest = 64;
constexpr std::size_t most_devices = 1 << 12;
constexpr int most_links = 1000;
constexpr std::size_t longest_name = 120;
constexpr std::uint32_t class_display = 0x03, class_network = 0x02, class_nvswitch = 0x068000;

std::string_view attribute(const pugi::xml_node& node, const char* name) {
  return node.attribute(name).value();
}

std::string lower(std::string_view text) {
  std::string out(text.substr(0, longest_name));
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

/// The number in "0x030200".
std::optional<std::uint32_t> hexadecimal(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::uint32_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (failure != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

/// Base class of 0x030200 is 3; some write 0x03.
bool is_class(std::string_view text, std::uint32_t base) {
  const auto number = hexadecimal(text);
  return number && (*number == base || *number >> 16 == base);
}

NodeTopology NcclTopologyReader::read(const pugi::xml_node& system) {
  for (const pugi::xml_node& cpu : system.children("cpu")) read_processor(cpu);
  NodeTopology out = joined(system);
  if (!errors_.empty()) throw ConfigError(errors_);
  return out;
}

/// The first node; the others must be like it.
NodeTopology NcclTopologyReader::joined(const pugi::xml_node& system) {
  NodeTopology out;
  std::size_t used = 0;
  for (const std::string& host : order_) {
    const NodeTopology& node = nodes_.at(host);
    if (node.gpus.empty()) continue;  // a processor of another node that only carries a NIC
    if (used == 0) out = node_with_switches(node);
    if (node.gpus.size() != out.gpus.size() || node.nics.size() != out.nics.size())
      error("E0340",
            fmt::format("the nodes of the file differ: {} GPUs with {} NICs, and {} with {}", out.gpus.size(),
                        out.nics.size(), node.gpus.size(), node.nics.size()),
            {node.gpus.front().place, out.gpus.front().place});
    ++used;
  }
  out.nodes = static_cast<int>(std::max<std::size_t>(used, 1));
  out.place = place(system);
  if (used == 0 && errors_.empty())
    error("E0101", "the topology has no GPU", {out.place}, "GPUs stand in <cpu><pci><gpu>");
  return out;
}

/// Links to what is no GPU of the node and has no class lead to a switch.
NodeTopology NcclTopologyReader::node_with_switches(NodeTopology node) const {
  std::set<std::string> gpus;
  for (const TopologyGpu& gpu : node.gpus) gpus.insert(gpu.pcie.bus_id);
  for (TopologyGpu& gpu : node.gpus)
    std::erase_if(gpu.peers, [&](const auto& peer) {
      const bool to_switch = !gpus.contains(peer.first) && without_class_.contains(peer.first);
      gpu.switch_links += to_switch ? peer.second : 0;
      return to_switch;
    });
  return node;
}

NodeTopology& NcclTopologyReader::node_of(const pugi::xml_node& cpu) {
  const std::string host = lower(attribute(cpu, "host_hash"));
  const auto [entry, fresh] = nodes_.try_emplace(host);
  if (fresh) order_.push_back(host);
  return entry->second;
}

void NcclTopologyReader::read_processor(const pugi::xml_node& cpu) {
  Branch branch;
  branch.node = &node_of(cpu);
  branch.pcie.processor = static_cast<int>(branch.node->processors.size());
  TopologyProcessor processor;
  processor.numa = integer(cpu, "numaid", -1, 1 << 20);
  processor.architecture = std::string(attribute(cpu, "arch").substr(0, longest_name));
  processor.vendor = std::string(attribute(cpu, "vendor").substr(0, longest_name));
  processor.family = integer(cpu, "familyid", 0, 1 << 20);
  processor.model = integer(cpu, "modelid", 0, 1 << 20);
  branch.node->processors.push_back(std::move(processor));
  read_devices(cpu, branch, 0);
}

void NcclTopologyReader::read_devices(const pugi::xml_node& parent, const Branch& branch, int depth) {
  if (depth > deepest) return error("E0501", fmt::format("nested deeper than {} levels", deepest), {place(parent)});
  for (const pugi::xml_node& child : parent.children()) {
    if (errors_.size() >= ConfigError::limit) return;
    const std::string_view name = child.name();
    if (name == "pci") read_pci(child, branch, depth);
    if (name == "gpu" && branch.on_pcie) read_gpu(child, branch);
    if (name == "nic") read_nics(child, branch);
  }
}

/// Reads a PCI device. Its elements decide its kind, else its class; a device with others below it is a switch.
void NcclTopologyReader::read_pci(const pugi::xml_node& pci, const Branch& above, int depth) {
  Branch branch = above;
  branch.pcie = device_of(pci, above.pcie);
  branch.on_pcie = true;
  const std::string_view kind = attribute(pci, "class");
  if (pci.child("gpu") || pci.child("nic")) return read_devices(pci, branch, depth + 1);
  if (is_class(kind, class_display)) return read_gpu(pci, branch);
  if (is_class(kind, class_network)) return read_net(pci, branch);
  if (!pci.child("pci")) return;
  branch.pcie.switches.push_back(static_cast<int>(branch.node->switches.size()));
  branch.node->switches.push_back({branch.pcie.bus_id, branch.pcie.link});
  read_devices(pci, branch, depth + 1);
}

PcieDevice NcclTopologyReader::device_of(const pugi::xml_node& pci, const PcieDevice& above) {
  PcieDevice out;
  out.bus_id = lower(attribute(pci, "busid"));
  out.vendor = identifier(pci, "vendor");
  out.device = identifier(pci, "device");
  out.link = link_of(pci);
  out.switches = above.switches;
  out.processor = above.processor;
  return out;
}

PcieLink NcclTopologyReader::link_of(const pugi::xml_node& pci) {
  const auto words = words_of(attribute(pci, "link_speed"));
  PcieLink link;
  if (words.size() < 2 || !words[1].starts_with("GT/s")) return link;  // empty in a virtual machine
  const double speed = real_number(words[0]).value_or(0);
  link.gigatransfers_per_s = speed >= 1 && speed < 1000 ? speed : 0;
  if (!attribute(pci, "link_width").empty()) link.lanes = integer(pci, "link_width", 0, 255).value_or(0);
  return link;
}

void NcclTopologyReader::read_gpu(const pugi::xml_node& gpu, const Branch& branch) {
  TopologyGpu out;
  out.place = place(gpu);
  out.pcie = branch.pcie;
  out.number = integer(gpu, "dev", -1, 1 << 20);
  out.compute_capability = integer(gpu, "sm", 0, 10000);
  out.rank = integer(gpu, "rank", -1, 1 << 30);
  out.direct_rdma = integer(gpu, "gdr", 0, 1 << 20).value_or(0) != 0;
  if (!out.pcie.bus_id.empty()) {
    const std::string address = fmt::format("{}/{}", static_cast<const void*>(branch.node), out.pcie.bus_id);
    const auto [first, fresh] = addresses_.emplace(address, out.place);
    if (!fresh) error("E0340", fmt::format("two GPUs at {}", out.pcie.bus_id), {out.place, first->second});
  }
  read_links(gpu, out);
  if (out.links() > most_links) error("E0202", fmt::format("a GPU has at most {} links", most_links), {out.place});
  branch.node->gpus.push_back(std::move(out));
  if (branch.node->gpus.size() > most_devices)
    error("E0501", fmt::format("more than {} GPUs", most_devices), {place(gpu)});
}

/// "xgmi" is what AMD's copy of NCCL calls its links.
void NcclTopologyReader::read_links(const pugi::xml_node& gpu, TopologyGpu& out) {
  for (const pugi::xml_node& child : gpu.children()) {
    const std::string_view name = child.name();
    if (name == "c2c") out.processor_links += integer(child, "count", 0, most_links).value_or(1);
    if (name != "nvlink" && name != "xgmi") continue;
    const std::string target = lower(attribute(child, "target"));
    const auto count = integer(child, "count", 1, most_links);
    if (target.empty() || attribute(child, "count").empty())
      error("E0104", fmt::format("<{}> needs a target and a count", name), {place(child)});
    const std::string_view kind = attribute(child, "tclass");
    const bool to_gpu = kind.empty() ? target != out.pcie.bus_id : is_class(kind, class_display);
    if (kind.empty()) without_class_.insert(target);
    if (to_gpu) out.peers[target] += count.value_or(0);
    if (hexadecimal(kind) == class_nvswitch) out.switch_links += count.value_or(0);
  }
}

void NcclTopologyReader::read_nics(const pugi::xml_node& nic, const Branch& branch) {
  for (const pugi::xml_node& net : nic.children("net")) read_net(net, branch);
}

void NcclTopologyReader::read_net(const pugi::xml_node& net, const Branch& branch) {
  TopologyNic out;
  out.name = std::string(attribute(net, "name").substr(0, longest_name));
  const auto speed = integer(net, "speed", 0, 100'000'000);  // Mbit/s
  if (speed && *speed > 0) out.rate = *speed * 1e-3 * gigabit_per_second;
  out.port = integer(net, "port", -1, 1 << 20);
  out.direct_rdma = integer(net, "gdr", 0, 1 << 20).value_or(0) != 0;
  out.on_pcie = branch.on_pcie;
  out.pcie = branch.pcie;
  branch.node->nics.push_back(std::move(out));
  if (branch.node->nics.size() > most_devices)
    error("E0501", fmt::format("more than {} NICs", most_devices), {place(net)});
}

std::optional<int> NcclTopologyReader::integer(const pugi::xml_node& node, const char* name, int least, int most) {
  const std::string_view text = attribute(node, name);
  if (text.empty()) return {};
  const auto number = whole_number(text);
  if (!number) {
    error("E0201", fmt::format("{} of <{}> must be an integer", name, node.name()), {place(node)});
    return {};
  }
  if (*number < least || *number > most) {
    error("E0202", fmt::format("{} of <{}> must be from {} to {} (got {})", name, node.name(), least, most, *number),
          {place(node)});
    return {};
  }
  return static_cast<int>(*number);
}

/// Identifier, or zero if the file has none.
std::uint32_t NcclTopologyReader::identifier(const pugi::xml_node& node, const char* name) {
  const std::string_view text = attribute(node, name);
  const auto number = hexadecimal(text);
  if (!text.empty() && !number)
    error("E0201", fmt::format("{} of <{}> must be a hexadecimal number", name, node.name()), {place(node)});
  return number.value_or(0);
}

Place NcclTopologyReader::place(const pugi::xml_node& node) const {
  const std::ptrdiff_t offset = node.offset_debug();
  const std::size_t at = offset < 0 ? 0 : static_cast<std::size_t>(offset);
  return {source_, std::min(at, source_->text().size()), std::max<std::size_t>(1, std::string_view(node.name()).size()),
          ""};
}

void NcclTopologyReader::error(std::string code, std::string message, std::vector<Place> places, std::string help) {
  if (errors_.size() < ConfigError::limit)
    errors_.push_back({std::move(code), std::move(message), std::move(places), "", std::move(help)});
}

constexpr std::size_t most_topology_bytes = 4u << 20;

Place place_at(const std::shared_ptr<const SourceText>& source, std::ptrdiff_t offset) {
  const std::size_t at = offset < 0 ? 0 : std::min(static_cast<std::size_t>(offset), source->text().size());
  return {source, at, 1, ""};
}

ConfigError no_topology(std::string message, Place place, std::string help) {
  return ConfigError({"E0101", std::move(message), {std::move(place)}, "", std::move(help)});
}

constexpr const char* how_to_get_one = "NCCL writes it to NCCL_TOPO_DUMP_FILE when a job starts";

/// Entities and other files stay unread: pugixml knows no entities but XML's own, and a DOCTYPE is refused.
void parse(const std::shared_ptr<const SourceText>& source, pugi::xml_document& document) {
  if (source->text().size() > most_topology_bytes)
    throw ConfigError(
        {"E0501", fmt::format("larger than {} bytes", most_topology_bytes), {place_at(source, 0)}, "", ""});
  const unsigned options = pugi::parse_default | pugi::parse_doctype;
  const pugi::xml_parse_result result =
      document.load_buffer(source->text().data(), source->text().size(), options, pugi::encoding_utf8);
  if (!result) {
    throw no_topology(fmt::format("not well-formed XML ({})", result.description()), place_at(source, result.offset),
                      how_to_get_one);
  }
  for (const pugi::xml_node& node : document.children())
    if (node.type() == pugi::node_doctype)
      throw no_topology("a document type is not allowed", place_at(source, node.offset_debug()), "leave <!DOCTYPE out");
}

pugi::xml_node system_of(const std::shared_ptr<const SourceText>& source, const pugi::xml_document& document) {
  if (const pugi::xml_node system = document.child("system")) return system;
  if (const pugi::xml_node graphs = document.child("graphs"))
    throw no_topology("the file holds NCCL's graphs, not its topology", place_at(source, graphs.offset_debug()),
                      how_to_get_one);
  throw no_topology("the element <system> is missing", place_at(source, 0), how_to_get_one);
}

/// Bits per byte on the wire over 8: 8b/10b below 8 GT/s, then 128b/130b, then flits of 256 bytes with 242 of data.
double share_of_data(double gigatransfers_per_s) {
  if (gigatransfers_per_s < 8) return 0.8;
  return gigatransfers_per_s < 64 ? 128.0 / 130.0 : 242.0 / 256.0;
}

/// Switches that both are behind.
std::size_t common_switches(const PcieDevice& a, const PcieDevice& b) {
  const auto end = std::mismatch(a.switches.begin(), a.switches.end(), b.switches.begin(), b.switches.end());
  return static_cast<std::size_t>(end.first - a.switches.begin());
}

}  // namespace

BytesPerSecond PcieLink::rate() const {
  return gigatransfers_per_s * lanes * share_of_data(gigatransfers_per_s) * gigabit_per_second;
}

int TopologyGpu::links() const {
  int sum = switch_links;
  for (const auto& [peer, count] : peers) sum += count;
  return sum;
}

NearestNics nearest_nics(const NodeTopology& topology, std::size_t gpu) {
  const PcieDevice& from = topology.gpus.at(gpu).pcie;
  NearestNics out;
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < topology.nics.size(); ++i) {
    const TopologyNic& nic = topology.nics[i];
    const std::size_t depth = nic.on_pcie ? common_switches(from, nic.pcie) : 0;
    const bool near = nic.on_pcie && nic.pcie.processor == from.processor;
    const NicDistance distance = depth > 0 ? NicDistance::same_switch
                                 : near    ? NicDistance::same_processor
                                           : NicDistance::between_processors;
    if (distance < out.distance || depth > deepest) out.nics.clear();
    if (distance > out.distance || depth < deepest) continue;
    out.distance = distance;
    deepest = depth;
    out.nics.push_back(i);
  }
  return out;
}

NodeTopology read_nccl_topology(const std::shared_ptr<const SourceText>& source) {
  pugi::xml_document document;
  parse(source, document);
  return NcclTopologyReader(source).read(system_of(source, document));
}

NodeTopology read_nccl_topology(const std::filesystem::path& path) {
  return read_nccl_topology(read_source(path, most_topology_bytes, Quoting::any));
}

}  // namespace clusterwright
