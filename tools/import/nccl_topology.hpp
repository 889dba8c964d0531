// SPDX-License-Identifier: Apache-2.0
/// Reads the node that NCCL saw (NCCL_TOPO_DUMP_FILE), or was given (NCCL_TOPO_FILE).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/diagnostic.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// PCI Express link; unknown values are zero.
struct PcieLink {
  double gigatransfers_per_s = 0;  ///< rate of one lane
  int lanes = 0;

  /// One direction, after line coding, before packet headers; zero where it is not known.
  BytesPerSecond rate() const;
};

/// An address on PCI Express and the way up from it.
struct PcieDevice {
  std::string bus_id;  ///< 0000:1b:00.0, in lower case; empty if unknown, or if the device is not on PCI Express
  std::uint32_t vendor = 0, device = 0;  ///< 0x10de, 0x2330; zero if unknown
  PcieLink link;
  std::vector<int> switches;  ///< indices into NodeTopology::switches, nearest to the processor first
  int processor = 0;          ///< index into NodeTopology::processors
};

struct TopologyGpu {
  std::optional<int> number;              ///< NVML's
  std::optional<int> compute_capability;  ///< 90; absent in files that name the PCI device alone
  std::optional<int> rank;
  bool direct_rdma = false;  ///< NICs read and write its memory
  PcieDevice pcie;
  int switch_links = 0;              ///< NVLinks to NVSwitches
  std::map<std::string, int> peers;  ///< NVLinks to other GPUs, by bus id
  int processor_links = 0;           ///< C2C links to a processor in the same package
  Place place;

  /// All NVLinks that lead to switches or GPUs.
  int links() const;
};

struct TopologyNic {
  std::string name;                    ///< mlx5_0
  std::optional<BytesPerSecond> rate;  ///< one direction
  std::optional<int> port;
  bool direct_rdma = false;
  bool on_pcie = true;  ///< false: its place on PCI Express is not known
  PcieDevice pcie;
};

/// A NUMA domain: a processor, or a part of one.
struct TopologyProcessor {
  std::optional<int> numa;
  std::string architecture;  ///< x86_64, arm64
  std::string vendor;        ///< GenuineIntel, AuthenticAMD
  std::optional<int> family, model;
};

/// A PCI Express switch, or a bridge that acts as one; the link leads up.
struct TopologySwitch {
  std::string bus_id;
  PcieLink link;
};

/// One node, in the order of the file; the first node of a file that joins several.
struct NodeTopology {
  int nodes = 1;  ///< number of nodes in the file
  std::vector<TopologyProcessor> processors;
  std::vector<TopologySwitch> switches;
  std::vector<TopologyGpu> gpus;
  std::vector<TopologyNic> nics;
  Place place;
};

/// Connection between a GPU and a NIC of one node, nearest first.
enum class NicDistance { same_switch, same_processor, between_processors };

/// NICs (indices) that are as near as any to a GPU.
struct NearestNics {
  NicDistance distance = NicDistance::between_processors;
  std::vector<std::size_t> nics;
};

/// Behind the deepest common switch, else under the same processor, else all of them.
NearestNics nearest_nics(const NodeTopology& topology, std::size_t gpu);

/// Reads known elements and skips the others. GPUs and NICs are also recognized by the class of their PCI
/// device, as in the files that cloud providers ship.
/// @throws ConfigError with every error: no XML, no <system>, or no GPU in it (E0101), a link without target or count
///         (E0104), attributes that are no numbers or out of range (E0201, E0202), two devices at one address, nodes
///         that differ (E0340), a file that is missing (E0401), larger than 4 MiB or nested deeper than 64 (E0501)
NodeTopology read_nccl_topology(const std::filesystem::path& path);

/// Reads the node from a text in memory.
NodeTopology read_nccl_topology(const std::shared_ptr<const SourceText>& source);

}  // namespace clusterwright
