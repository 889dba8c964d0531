// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/sites.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace clusterwright {

bool check_sites(const FabricSpec& spec, const NetworkSize& all_nodes, std::vector<FabricError>& errors) {
  if (!spec.sites || all_nodes.nodes % spec.sites->count == 0) return true;
  errors.push_back({"E0308",
                    fmt::format("the number of sites must divide the nodes (got {} sites, {} nodes)", spec.sites->count,
                                all_nodes.nodes),
                    {"/fabric/sites/count", "/accelerators"},
                    "",
                    ""});
  return false;
}

void join_sites(SiteTiers& site) {
  const SitesSpec& sites = *site.spec.sites;
  const int in_site = site.size.nodes * site.size.accelerators_per_node;
  Seconds across = site.tiers.back().turn_latency;
  for (auto tier = site.tiers.rbegin(); tier != site.tiers.rend(); ++tier)
    if (tier->accelerators >= in_site) across = tier->turn_latency;
  std::erase_if(site.tiers, [&](const FabricTiers::Tier& tier) {
    return tier.accelerators >= in_site || in_site % tier.accelerators != 0;
  });
  site.add("site", site.size.nodes, (sites.count - 1) * sites.rate, 1);
  site.tiers.back().turn_latency = across;
  const Seconds between = (2 * site.to_border + 2) * site.spec.hop_latency.value + sites.latency.value;
  const double half = sites.count / 2;
  if (sites.count > 2 && sites.count % 2 == 0) {
    site.add("half", static_cast<long long>(site.size.nodes) * sites.count / 2, half * half * sites.rate, 1);
    site.tiers.back().turn_latency = between;
  }
  site.add_top(static_cast<long long>(site.size.nodes) * sites.count, 1);
  site.tiers.back().turn_latency = between;
}

// A border switch never limits what is inside its site: each of its cables there can carry all that leaves the site.
void build_sites(NetworkAssembly& assembly, const TopSwitches& tops) {
  const SitesSpec& spec = *assembly.spec.sites;
  const int rails = tops.rails;
  const BytesPerSecond rate = spec.rate / rails;
  assembly.expect_cables(tops.count + (assembly.sites * static_cast<long long>(rails) + 1) / 2);
  const VertexId first = assembly.add_switches("site", rails, 0);
  const std::size_t border_kind = assembly.add_kind("border", (assembly.sites - 1) * rate);
  const std::size_t site_kind = assembly.add_kind("site", rate, spec.latency.value);
  const auto border = [&](int site, int rail) { return first + (site * rails + rail); };
  const std::uint32_t per_rail = tops.count / static_cast<std::uint32_t>(rails);
  for (int site = 0; site < assembly.sites; ++site) {
    for (std::uint32_t top = 0; top < tops.count; ++top)
      assembly.connect(tops.first + (static_cast<long long>(site) * tops.count_per_site + top),
                       border(site, static_cast<int>(top / per_rail)), border_kind);
    for (int other = site + 1; other < assembly.sites; ++other)
      for (int rail = 0; rail < rails; ++rail) assembly.connect(border(site, rail), border(other, rail), site_kind);
  }
  std::vector<int>& groups = assembly.network.groups;
  if (groups.empty()) return;
  const int next = groups.back() + 1;  // the switches of the last group come last
  for (int site = 0; site < assembly.sites; ++site) groups.push_back(next + site);
}

}  // namespace clusterwright
