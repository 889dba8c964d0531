/// A cluster as users write it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

/// A server: accelerators behind one scale-up switch, and NICs.
struct NodeSpec {
  std::string accelerator;  ///< name in the catalog
  int accelerators = 8;
  std::string nic;                         ///< name in the catalog; one rail each
  int nics = 8;                            ///< 0: a single node without network
  std::optional<BytesPerSecond> nic_rate;  ///< one direction of one NIC; the catalog's if absent
  Sourced<Watts> host_power;               ///< of the node without accelerators, under load
};
const Record<NodeSpec>& record(const NodeSpec*);

/// One level of switches, nearest to the nodes first.
struct TierSpec {
  std::string name;         ///< "leaf", "pod", "core"
  int accelerators = 0;     ///< below one group of this tier
  double taper = 1;         ///< capacity down over capacity up; 1 is non-blocking
  std::string switch_part;  ///< name in the catalog; may be empty
};
const Record<TierSpec>& record(const TierSpec*);

enum class Transport { infiniband, roce, ethernet, none };

inline constexpr std::array<std::string_view, 4> transport_names = {"infiniband", "roce", "ethernet", "none"};

/// A fat tree. The last tier joins everything and has no way up.
struct FabricSpec {
  Transport transport = Transport::infiniband;
  std::vector<TierSpec> tiers;
  Sourced<Seconds> hop_latency;  ///< of one switch and its cable
};
const Record<FabricSpec>& record(const FabricSpec*);

struct FacilitySpec {
  std::optional<double> power_usage_effectiveness;
};
const Record<FacilitySpec>& record(const FacilitySpec*);

struct ClusterSpec {
  std::string name;
  std::string source;    ///< where the description comes from
  int accelerators = 0;  ///< in the job's reach
  NodeSpec node;
  FabricSpec fabric;
  FacilitySpec facility;
};
const Record<ClusterSpec>& record(const ClusterSpec*);

}  // namespace clusterwright
