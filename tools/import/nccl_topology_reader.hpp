// SPDX-License-Identifier: Apache-2.0
/// The elements of a parsed topology, turned into a node.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tools/import/nccl_topology.hpp"

namespace pugi {
class xml_node;
}

namespace clusterwright {

/// Walks <system>. Each instance reads once.
class NcclTopologyReader {
 public:
  explicit NcclTopologyReader(std::shared_ptr<const SourceText> source) : source_(std::move(source)) {}

  /// @throws ConfigError as read_nccl_topology, which found `system`
  NodeTopology read(const pugi::xml_node& system);

 private:
  /// What surrounds an element: node of the file, processor, switches.
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
  std::map<std::string, NodeTopology> nodes_;  ///< by the hash of the host
  std::vector<std::string> order_;
  std::map<std::string, Place> addresses_;  ///< of GPUs and NICs, with the host before them
  std::set<std::string> without_class_;     ///< targets of links
  std::vector<Diagnostic> errors_;
};

}  // namespace clusterwright
