// SPDX-License-Identifier: Apache-2.0
#include "tools/import/topology_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "tools/import/topology_parts.hpp"

namespace clusterwright {

namespace {

constexpr int most_accelerators = 1 << 24;

double hundredths(double value) {
  return std::round(value * 100) / 100;
}

ConfigError about_option(std::string code, const char* option, const std::string& text, std::string message,
                         std::string help) {
  const auto typed = std::make_shared<const SourceText>(option, text);
  return ConfigError({std::move(code),
                      std::move(message),
                      {{typed, 0, std::max<std::size_t>(text.size(), 1), ""}},
                      "",
                      std::move(help)});
}

template <class T>
T value_of(const std::optional<Sourced<T>>& fact, T fallback) {
  return fact ? fact->value : fallback;
}

/// The least of the rates, or nothing where one is not known.
std::optional<BytesPerSecond> least_rate(const std::vector<PcieLink>& links) {
  std::optional<BytesPerSecond> least;
  for (const PcieLink& link : links) {
    if (link.rate() <= BytesPerSecond{}) return {};
    least = least ? std::min(*least, link.rate()) : link.rate();
  }
  return least;
}

/// NICs that make the network: the fastest, or all where no speed is known.
std::vector<const TopologyNic*> network_nics(const NodeTopology& topology) {
  BytesPerSecond fastest;
  for (const TopologyNic& nic : topology.nics) fastest = std::max(fastest, nic.rate.value_or(BytesPerSecond{}));
  std::vector<const TopologyNic*> out;
  for (const TopologyNic& nic : topology.nics)
    if (nic.rate.value_or(BytesPerSecond{}) == fastest) out.push_back(&nic);
  return out;
}

/// Rate of a part, unless it is the default that a description takes; data sheets round.
void set_rate(JsonValue& object, const char* key, BytesPerSecond rate, BytesPerSecond usual) {
  constexpr double rounding = 0.02;
  if (std::abs((rate - usual).in(gigabyte_per_second)) > rounding * usual.in(gigabyte_per_second))
    object.set(key, hundredths(rate.in(gigabyte_per_second)));
}

class ClusterWriter {
 public:
  ClusterWriter(const NodeTopology& topology, const ClusterImport& options, const Catalog& catalog)
      : topology_(topology),
        options_(options),
        catalog_(catalog),
        part_(accelerator_of(topology, catalog, options.accelerator)),
        gpus_(static_cast<int>(topology.gpus.size())),
        nodes_(options.nodes == 0 ? topology.nodes : options.nodes),
        nics_(network_nics(topology)) {}

  JsonValue write() {
    check_nodes();
    note(fmt::format("NCCL topology; GPUs: {}, NICs: {}", gpus_, topology_.nics.size()));
    JsonValue node = node_value();
    JsonValue fabric = fabric_value();
    note("host power unknown");
    const std::string usual = fmt::format("{} x {} per node", gpus_, part_.id);
    return JsonValue::object({{"$schema", "cluster.schema.json"},
                              {"name", options_.name.empty() ? usual : options_.name},
                              {"source", notes_},
                              {"accelerators", nodes_ * gpus_},
                              {"node", std::move(node)},
                              {"fabric", std::move(fabric)}});
  }

 private:
  void check_nodes() const {
    const int most = most_accelerators / gpus_;
    if (nodes_ < 1 || nodes_ > most)
      throw about_option("E0202", "--nodes", std::to_string(options_.nodes), fmt::format("must be from 1 to {}", most),
                         "");
  }

  /// Nodes whose GPUs all reach each other by scale-up links need no network.
  bool needs_network() const {
    const bool beyond = value_of(part_.scale_up_beyond_node, false);
    return nodes_ > (beyond ? std::max(1, value_of(part_.scale_up_domain, 1) / gpus_) : 1);
  }

  JsonValue node_value() {
    JsonValue node = JsonValue::object({{"accelerator", part_.id}, {"accelerators", gpus_}});
    add_nics(node);
    add_scale_up(node);
    JsonValue pcie = pcie_value();
    if (!pcie.members().empty()) node.set("pcie", std::move(pcie));
    return node;
  }

  void add_nics(JsonValue& node) {
    if (nics_.empty()) {
      node.set("nics", 0);
      return;
    }
    const TopologyNic& nic = *nics_.front();
    const NicPart* part = nic_of(nic, catalog_, options_.nic);
    if (part) node.set("nic", part->id);
    node.set("nics", even_nics());
    const double stated = part ? part->rate.value.in(gigabit_per_second) : 0;
    const double seen = std::round(nic.rate.value_or(BytesPerSecond{}).in(gigabit_per_second)*1000) / 1000;
    if (seen > 0 && std::abs(seen - stated) > 0.01 * stated) node.set("nic_rate_gbit_per_s", seen);
    if (part && !options_.nic.empty() && seen > 1.01 * stated)
      throw about_option("E0346", "--nic", options_.nic,
                         fmt::format("the NICs of the file run at {:g} Gbit/s, {} at {:g}", seen, part->id, stated),
                         "name the NIC that has this rate");
    if (nics_.size() < topology_.nics.size())
      note(fmt::format("only the {} NICs of {:g} Gbit/s count; the others are slower", nics_.size(), seen));
    if (needs_network() && !part && seen <= 0)
      throw about_option("E0203", "--nic", "", "the speed of the NICs is not known",
                         "name the part, as in --nic \"ConnectX-7 NDR\"   (list all: clusterwright catalog nics)");
  }

  /// NICs that spread evenly over the GPUs; servers have more of the same rate for storage.
  int even_nics() {
    const int all = static_cast<int>(nics_.size());
    const int even = all > gpus_ ? all - all % gpus_ : all;
    if (even < all)
      note(fmt::format("{} of {} NICs count: the others do not spread evenly over {} GPUs", even, all, gpus_));
    return even;
  }

  void add_scale_up(JsonValue& node) {
    const ScaleUpLinks seen = scale_up_links(topology_);
    if (!seen.wiring) return note("links between GPUs are not in the file and come from the accelerator");
    node.set("scale_up", enum_name(*seen.wiring));
    if (*seen.wiring == ScaleUpWiring::none) return;
    note(fmt::format("links of each GPU: {}", seen.links));
    if (seen.uneven) note("some GPUs have more links");
    const int stated = value_of(part_.scale_up_links, 0);
    if (stated > 0 && part_.scale_up_bandwidth && seen.links != stated)
      node.set("scale_up_gb_per_s",
               hundredths((part_.scale_up_bandwidth->value * seen.links / stated).in(gigabyte_per_second)));
    const bool beyond = value_of(part_.scale_up_beyond_node, false);
    const int own = std::min(value_of(part_.scale_up_domain, gpus_), gpus_);
    if (!beyond && seen.group != own) node.set("scale_up_domain", seen.group);
  }

  JsonValue pcie_value() {
    JsonValue pcie = JsonValue::object();
    add_switches(pcie);
    add_sockets(pcie);
    std::vector<PcieLink> slots;
    for (const TopologyGpu& gpu : topology_.gpus) slots.push_back(gpu.pcie.link);
    const bool in_package = topology_.gpus.front().processor_links > 0;  // PCI Express then carries no data
    const BytesPerSecond stated = value_of(part_.host_bandwidth, BytesPerSecond{});
    if (const auto rate = least_rate(slots); rate && !in_package) set_rate(pcie, "link_gb_per_s", *rate, stated);
    if (!nics_.empty()) pcie.set("nics", nics_under_switches() ? "switch" : "host_bridge");
    return pcie;
  }

  void add_switches(JsonValue& pcie) {
    std::map<int, int> gpus_of;  // by the switch nearest to the processor, -1 for none
    for (const TopologyGpu& gpu : topology_.gpus) ++gpus_of[top_switch(gpu.pcie)];
    const int each = gpus_of.begin()->second;
    for (const auto& [top, count] : gpus_of)
      if (count != each || (top < 0 && gpus_of.size() > 1))
        return note("PCI Express switches are omitted: their numbers of GPUs differ");
    const bool none = gpus_of.begin()->first < 0;
    pcie.set("accelerators_per_switch", none ? 0 : each);
    std::vector<PcieLink> up;
    for (const auto& [top, count] : gpus_of)
      if (!none) up.push_back(topology_.switches[static_cast<std::size_t>(top)].link);
    const BytesPerSecond slot = topology_.gpus.front().pcie.link.rate();
    if (const auto rate = least_rate(up)) set_rate(pcie, "uplink_gb_per_s", *rate, slot);
  }

  /// The file has NUMA domains, of which a processor may have several. No board joins more than two of AMD's.
  void add_sockets(JsonValue& pcie) {
    std::set<int> domains;
    for (const TopologyGpu& gpu : topology_.gpus) domains.insert(gpu.pcie.processor);
    const bool amd = topology_.processors.front().vendor == "AuthenticAMD";
    const int sockets = amd ? std::min<int>(2, static_cast<int>(domains.size())) : static_cast<int>(domains.size());
    if (sockets != static_cast<int>(domains.size()))
      note(fmt::format("{} NUMA domains count as 2 processors", domains.size()));
    if (sockets <= 64) pcie.set("sockets", sockets);
  }

  static int top_switch(const PcieDevice& device) { return device.switches.empty() ? -1 : device.switches.front(); }

  /// Most of them share a switch with a GPU.
  bool nics_under_switches() const {
    std::set<int> with_gpus;
    for (const TopologyGpu& gpu : topology_.gpus) with_gpus.insert(top_switch(gpu.pcie));
    with_gpus.erase(-1);
    std::size_t under = 0;
    for (const TopologyNic* nic : nics_) under += nic->on_pcie && with_gpus.contains(top_switch(nic->pcie)) ? 1 : 0;
    return 2 * under > nics_.size();
  }

  JsonValue fabric_value() {
    if (!needs_network()) return JsonValue::object({{"transport", "none"}});
    if (nics_.empty())
      throw ConfigError({"E0304",
                         fmt::format("{} nodes need a network: the topology has no NICs", nodes_),
                         {topology_.place},
                         "",
                         "omit --nodes, or import a topology with NICs"});
    if (!options_.transport || *options_.transport == Transport::none)
      throw about_option("E0203", "--transport", "", fmt::format("{} nodes need a network of a known kind", nodes_),
                         "name it: --transport infiniband, roce or ethernet");
    note("assumed: one non-blocking layer of switches joins the nodes");
    JsonValue tiers = JsonValue::list();
    tiers.push_back(JsonValue::object({{"name", "leaf"}, {"accelerators", nodes_ * gpus_}}));
    return JsonValue::object(
        {{"kind", "fat_tree"}, {"transport", enum_name(*options_.transport)}, {"tiers", std::move(tiers)}});
  }

  void note(const std::string& words) { notes_ += notes_.empty() ? words : "; " + words; }

  const NodeTopology& topology_;
  const ClusterImport& options_;
  const Catalog& catalog_;
  const AcceleratorPart& part_;
  int gpus_;
  int nodes_;
  std::vector<const TopologyNic*> nics_;
  std::string notes_;
};

}  // namespace

JsonValue cluster_of(const NodeTopology& topology, const ClusterImport& options, const Catalog& catalog) {
  return ClusterWriter(topology, options, catalog).write();
}

}  // namespace clusterwright
