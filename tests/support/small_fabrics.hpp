// SPDX-License-Identifier: Apache-2.0
/// Descriptions of fabrics for tests, short to write.
#pragma once

#include <queue>
#include <string>
#include <vector>

#include "topology/fabrics/fabric.hpp"

namespace clusterwright::testing {

inline constexpr BytesPerSecond nic_400g = 50 * gigabyte_per_second;  // 400 Gbit/s

struct TierShape {
  int accelerators = 0;
  double taper = 1;
};

/// A fat tree whose tiers are named leaf, spine, core and further ones by their number.
inline FabricSpec fat_tree(const std::vector<TierShape>& shapes, RailLayout rails = RailLayout::joined) {
  static const char* const names[] = {"leaf", "spine", "core"};
  FabricSpec spec;
  spec.rails = rails;
  spec.hop_latency.value = 0.5 * microsecond;
  for (const TierShape& shape : shapes) {
    TierSpec tier;
    tier.name = spec.tiers.size() < 3 ? names[spec.tiers.size()] : "tier " + std::to_string(spec.tiers.size());
    tier.accelerators = shape.accelerators;
    tier.taper = shape.taper;
    spec.tiers.push_back(tier);
  }
  return spec;
}

inline FabricSpec of_kind(FabricKind kind) {
  FabricSpec spec;
  spec.kind = kind;
  spec.hop_latency.value = 0.5 * microsecond;
  return spec;
}

inline FabricSpec dragonfly(DragonflySpec numbers) {
  FabricSpec spec = of_kind(FabricKind::dragonfly);
  spec.dragonfly = numbers;
  return spec;
}

inline FabricSpec dragonfly_plus(DragonflyPlusSpec numbers) {
  FabricSpec spec = of_kind(FabricKind::dragonfly_plus);
  spec.dragonfly_plus = numbers;
  return spec;
}

inline FabricSpec torus(std::vector<int> sides, bool wrap = true) {
  FabricSpec spec = of_kind(FabricKind::torus);
  spec.torus = TorusSpec{std::move(sides), wrap};
  return spec;
}

inline FabricSpec hyperx(std::vector<int> sides, std::vector<int> links, int endpoints_per_switch) {
  FabricSpec spec = of_kind(FabricKind::hyperx);
  spec.hyperx = HyperxSpec{std::move(sides), std::move(links), endpoints_per_switch};
  return spec;
}

inline void spread_over_sites(FabricSpec& spec, int count, BytesPerSecond rate, Seconds latency) {
  SitesSpec sites;
  sites.count = count;
  sites.rate = rate;
  sites.latency.value = latency;
  spec.sites = sites;
}

/// Every tier of switches with equally many ports.
inline FabricPorts all_ports(const FabricSpec& spec, int ports) {
  return {std::vector<int>(spec.tiers.size(), ports), ports};
}

inline std::size_t cables_of_kind(const NetworkGraph& graph, const std::string& name) {
  const std::vector<std::size_t> cables = graph.cables_by_kind();
  std::size_t count = 0;
  for (std::size_t kind = 0; kind < cables.size(); ++kind)
    if (graph.link_kinds()[kind].name == name) count += cables[kind];
  return count;
}

inline std::size_t switches_of_tier(const NetworkGraph& graph, const std::string& name) {
  std::size_t count = 0;
  for (const SwitchTier& tier : graph.tiers())
    if (tier.name == name) count += tier.count;
  return count;
}

/// Latency from one vertex to all others on the paths with the fewest links; below zero where there is no way.
inline IndexedVector<VertexId, Seconds> latencies_from(const NetworkGraph& graph, VertexId from) {
  IndexedVector<VertexId, Seconds> latency(graph.vertices(), -1 * second);
  latency[from] = Seconds{};
  std::queue<VertexId> open;
  for (open.push(from); !open.empty(); open.pop()) {
    if (open.front() != from && graph.is_endpoint(open.front())) continue;  // endpoints pass nothing on
    for (const LinkId link : graph.leaving(open.front())) {
      if (!graph.works(link) || latency[graph.to(link)] >= Seconds{}) continue;
      latency[graph.to(link)] = latency[open.front()] + graph.latency({{link}});
      open.push(graph.to(link));
    }
  }
  return latency;
}

}  // namespace clusterwright::testing
