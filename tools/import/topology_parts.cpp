// SPDX-License-Identifier: Apache-2.0
#include "tools/import/topology_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace clusterwright {

namespace {

/// A PCI device and the id that its part has in the shipped catalog.
struct KnownDevice {
  std::uint32_t device;
  std::string_view id;
};

// Device numbers: the PCI ID Repository (pci-ids.ucw.cz), vendors 10de (NVIDIA) and 15b3 (Mellanox).
constexpr std::uint32_t nvidia = 0x10de, mellanox = 0x15b3;
constexpr std::array<KnownDevice, 18> known_gpus = {{{0x20b0, "A100-40-SXM"},
                                                     {0x20b2, "A100-80-SXM"},
                                                     {0x20f1, "A100-40-PCIe"},
                                                     {0x20b5, "A100-80-PCIe"},
                                                     {0x2330, "H100-SXM"},
                                                     {0x2331, "H100-PCIe"},
                                                     {0x2321, "H100-NVL-94GB"},
                                                     {0x2335, "H200"},
                                                     {0x2342, "GH200-96GB"},
                                                     {0x2324, "H800"},
                                                     {0x2329, "H20"},
                                                     {0x2901, "B200"},
                                                     {0x2941, "GB200-GPU"},
                                                     {0x3182, "B300-HGX"},
                                                     {0x31c2, "GB300-GPU"},
                                                     {0x2684, "RTX-4090"},
                                                     {0x2204, "RTX-3090"},
                                                     {0x26b9, "L40S"}}};
constexpr std::array<KnownDevice, 4> known_nics = {
    {{0x101b, "ConnectX-6 HDR"}, {0x1021, "ConnectX-7 NDR"}, {0x1023, "ConnectX-8 XDR"}, {0xa2dc, "BlueField-3 DPU"}}};

template <std::size_t N>
std::string known(const std::array<KnownDevice, N>& devices, std::uint32_t device) {
  for (const KnownDevice& entry : devices)
    if (entry.device == device) return std::string(entry.id);
  return {};
}

ConfigError unknown_part(const char* option, const std::string& id, const std::vector<std::string>& ids) {
  const auto typed = std::make_shared<const SourceText>(option, id);
  return ConfigError({"E0203",
                      fmt::format("\"{}\" is not in the catalog", id),
                      {{typed, 0, id.size(), ""}},
                      "",
                      did_you_mean(id, ids)});
}

void check_alike(const std::vector<TopologyGpu>& gpus) {
  const TopologyGpu& first = gpus.front();
  for (const TopologyGpu& gpu : gpus) {
    const bool same = gpu.compute_capability == first.compute_capability && gpu.pcie.vendor == first.pcie.vendor &&
                      gpu.pcie.device == first.pcie.device;
    if (same) continue;
    throw ConfigError({"E0340",
                       "the GPUs of the node differ",
                       {gpu.place, first.place},
                       "",
                       "a node of a cluster has accelerators of one kind"});
  }
}

/// Architectures of the catalog that have a compute capability; all but "Ultra" Blackwells are 100.
bool has_capability(const AcceleratorPart& part, int capability) {
  const std::string& name = part.architecture;
  const bool consumer = name.find("consumer") != std::string::npos;
  const bool ultra = name.find("Ultra") != std::string::npos;
  switch (capability) {
    case 80:
      return name.starts_with("Ampere") && !consumer;
    case 86:
      return name.starts_with("Ampere") && consumer;
    case 89:
      return name.starts_with("Ada");
    case 90:
      return name.starts_with("Hopper");
    case 100:
      return name.starts_with("Blackwell") && !ultra;
    case 103:
      return name.starts_with("Blackwell") && ultra;
    default:
      return false;
  }
}

/// Bridges between cards are optional and lead to no switch; all other links are always there.
bool can_have_links(const AcceleratorPart& part, const TopologyGpu& gpu) {
  const int most = part.scale_up_links ? part.scale_up_links->value : 0;
  const bool bridge = part.scale_up_kind.find("bridge") != std::string::npos;
  return bridge ? gpu.links() <= most && gpu.switch_links == 0 : gpu.links() == most;
}

bool fits(const AcceleratorPart& part, const TopologyGpu& gpu) {
  const bool in_package = part.host_link == "NVLink-C2C";
  return part.vendor == "NVIDIA" && has_capability(part, gpu.compute_capability.value_or(0)) &&
         can_have_links(part, gpu) && in_package == (gpu.processor_links > 0);
}

std::string description(const TopologyGpu& gpu) {
  std::string text = gpu.compute_capability ? fmt::format("compute capability {}.{}", *gpu.compute_capability / 10,
                                                          *gpu.compute_capability % 10)
                                            : std::string("no compute capability");
  text += fmt::format(", {} NVLinks", gpu.links());
  if (gpu.pcie.device != 0) text += fmt::format(", PCI device {:04x}:{:04x}", gpu.pcie.vendor, gpu.pcie.device);
  return text;
}

}  // namespace

const AcceleratorPart& accelerator_of(const NodeTopology& topology, const Catalog& catalog, const std::string& wanted) {
  check_alike(topology.gpus);
  if (!wanted.empty()) {
    const AcceleratorPart* part = catalog.find_accelerator(wanted);
    if (!part) throw unknown_part("--accelerator", wanted, ids_of(catalog.accelerators));
    return *part;
  }
  const TopologyGpu& gpu = topology.gpus.front();
  const std::string id = gpu.pcie.vendor == nvidia ? known(known_gpus, gpu.pcie.device) : std::string();
  if (const AcceleratorPart* part = catalog.find_accelerator(id)) return *part;
  std::vector<const AcceleratorPart*> candidates;
  for (const AcceleratorPart& part : catalog.accelerators)
    if (fits(part, gpu)) candidates.push_back(&part);
  if (candidates.size() == 1) return *candidates.front();
  std::vector<std::string> ids;
  ids.reserve(candidates.size());
  for (const AcceleratorPart* part : candidates) ids.push_back(part->id);
  const std::string what = ids.empty() ? "is not in the catalog" : fmt::format("may be {}", fmt::join(ids, ", "));
  throw ConfigError({"E0203",
                     fmt::format("the accelerator ({}) {}", description(gpu), what),
                     {gpu.place},
                     "",
                     "name it, as in --accelerator H100-SXM   (list all: clusterwright catalog accelerators)"});
}

const NicPart* nic_of(const TopologyNic& nic, const Catalog& catalog, const std::string& wanted) {
  if (!wanted.empty()) {
    const NicPart* part = catalog.find_nic(wanted);
    if (!part) throw unknown_part("--nic", wanted, ids_of(catalog.nics));
    return part;
  }
  return nic.pcie.vendor == mellanox ? catalog.find_nic(known(known_nics, nic.pcie.device)) : nullptr;
}

namespace {

/// Bus ids of a GPU and of those of the node that it has links to.
std::set<std::string> neighbourhood(const TopologyGpu& gpu, const std::set<std::string>& in_node) {
  std::set<std::string> out = {gpu.pcie.bus_id};
  for (const auto& [peer, count] : gpu.peers)
    if (in_node.contains(peer)) out.insert(peer);
  return out;
}

int links_to_peers(const TopologyGpu& gpu, const std::set<std::string>& in_node) {
  int sum = 0;
  for (const auto& [peer, count] : gpu.peers) sum += in_node.contains(peer) ? count : 0;
  return sum;
}

/// Equal neighbourhoods of all members are what makes a group a full mesh.
void check_mesh(const NodeTopology& topology, const std::set<std::string>& in_node) {
  std::map<std::string, std::set<std::string>> around;
  for (const TopologyGpu& gpu : topology.gpus) around[gpu.pcie.bus_id] = neighbourhood(gpu, in_node);
  const std::size_t size = around.begin()->second.size();
  for (const TopologyGpu& gpu : topology.gpus) {
    const std::set<std::string>& group = around[gpu.pcie.bus_id];
    const bool full =
        std::all_of(group.begin(), group.end(), [&](const std::string& id) { return around[id] == group; });
    if (full && group.size() == size) continue;
    throw ConfigError({"E0340",
                       "the links between GPUs are neither switched nor a full mesh of groups of one size",
                       {gpu.place},
                       "",
                       "take the <nvlink> elements out to describe PCI Express alone"});
  }
}

}  // namespace

ScaleUpLinks scale_up_links(const NodeTopology& topology) {
  const std::vector<TopologyGpu>& gpus = topology.gpus;
  std::set<std::string> in_node;
  for (const TopologyGpu& gpu : gpus) in_node.insert(gpu.pcie.bus_id);
  ScaleUpLinks out;
  out.group = static_cast<int>(gpus.size());
  const auto to_switches = [](const TopologyGpu& gpu) { return gpu.switch_links > 0; };
  const auto is_seen = [](const TopologyGpu& gpu) { return gpu.compute_capability.has_value(); };
  const bool switched = std::all_of(gpus.begin(), gpus.end(), to_switches);
  const auto links = [&](const TopologyGpu& gpu) { return switched ? gpu.switch_links : links_to_peers(gpu, in_node); };
  const auto fewer = [&](const TopologyGpu& a, const TopologyGpu& b) { return links(a) < links(b); };
  const auto [fewest, most] = std::minmax_element(gpus.begin(), gpus.end(), fewer);
  out.links = links(*fewest);
  out.uneven = out.links != links(*most);
  if (switched) {
    out.wiring = ScaleUpWiring::switched;
  } else if (links(*most) > 0 || std::any_of(gpus.begin(), gpus.end(), to_switches)) {
    check_mesh(topology, in_node);
    out.wiring = ScaleUpWiring::mesh;
    out.group = static_cast<int>(neighbourhood(gpus.front(), in_node).size());
  } else if (std::any_of(gpus.begin(), gpus.end(), is_seen)) {
    out.wiring = ScaleUpWiring::none;
  }
  return out;
}

}  // namespace clusterwright
