// SPDX-License-Identifier: Apache-2.0
#include "models/site/audit/network_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "topology/fabrics/fat_tree.hpp"

namespace clusterwright {

namespace {

/// Name of a generation without spaces and case: "nvlink3" for "NVLink 3.0".
std::string plain(const std::string& generation) {
  std::string out;
  for (const char letter : generation.substr(0, generation.rfind(".0")))
    if (letter != ' ' && letter != '-') out += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return out;
}

/// "NVLink 4: 18 links, 450 GB/s a direction"
std::string scale_up_words(const AcceleratorPart& part) {
  std::string text = fmt::format("{} has {}", part.id, part.scale_up_kind.empty() ? "none" : part.scale_up_kind);
  if (part.scale_up_links) text += fmt::format(", {} links", part.scale_up_links->value);
  if (part.scale_up_bandwidth)
    text += fmt::format(", {:.0f} GB/s per direction", part.scale_up_bandwidth->value.in(gigabyte_per_second));
  return text;
}

const AcceleratorPart* part_with(const std::string& generation, const Catalog& catalog) {
  const auto has = [&](const AcceleratorPart& part) {
    return !part.scale_up_kind.empty() && plain(part.scale_up_kind) == plain(generation);
  };
  const auto at = std::find_if(catalog.accelerators.begin(), catalog.accelerators.end(), has);
  return at == catalog.accelerators.end() ? nullptr : &*at;
}

double gbit(BytesPerSecond rate) {
  return rate.in(gigabit_per_second);
}

/// Network rate of one accelerator with the network cards of its node part; zero where that is not known.
BytesPerSecond reference_rate(const AuditCase& audit) {
  const NodePart* node = audit.catalog.find_node(audit.cluster.spec.node.part);
  const NicPart* nic = node ? audit.catalog.find_nic(node->nic_id) : nullptr;
  if (!nic || !node->nic_count || !node->accelerator_count) return {};
  return nic->rate.value * node->nic_count->value / node->accelerator_count->value;
}

/// Switches of one rate that would join all network cards, in words.
std::string switches_words(const AuditCase& audit, BytesPerSecond rate) {
  const SwitchPart* part = switch_for(rate, audit.cluster.spec.fabric, audit.catalog);
  if (!part) return {};
  const int ports = part->ports.value;
  const NetworkSize size = audit.cluster.network_size();
  const long long ends = 1LL * size.nodes * size.nics_per_node;
  std::string text = fmt::format(
      "; {}-port switches at {:.0f} Gbit/s: two tiers join at most {} endpoints; {} endpoints need at least {}", ports,
      gbit(rate), two_tier_limit(ports), ends, joined_switches(ends, ports).words());
  const SwitchCount planes = plane_switches(size, ports);
  if (planes.total() > 0) text += fmt::format(", as {} rail planes {}", size.nics_per_node, planes.words());
  return text;
}

long long switches_for(long long endpoints, long long ports) {
  return (endpoints + ports - 1) / ports;
}

/// Leaves and spines of non-blocking planes, as many nodes under a leaf as it has ports for.
FabricSpec plane_fabric() {
  FabricSpec fabric;
  fabric.rails = RailLayout::planes;
  fabric.tiers = {{"leaf", 0, 1, ""}, {"spine", 0, 1, ""}};
  return fabric;
}

bool runs_at(const SwitchPart& part, BytesPerSecond rate) {
  constexpr double same = 1e-6;
  return part.port_rate && std::abs(part.port_rate->value / rate - 1) < same;
}

}  // namespace

ClaimFinding check_scale_up_kind(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::scale_up);
  const AcceleratorPart& part = audit.cluster.accelerator;
  finding.arithmetic = scale_up_words(part);
  finding.remedy = fmt::format("claim {}", part.scale_up_kind.empty() ? "no scale-up links" : part.scale_up_kind);
  const std::string stated = finding.stated ? std::get<std::string>(*finding.stated) : part.scale_up_kind;
  const bool right = plain(stated) == plain(part.scale_up_kind);
  conclude(finding, part.scale_up_kind, right);
  if (right) return finding;
  const AcceleratorPart* other = part_with(stated, audit.catalog);
  finding.arithmetic += other ? "; " + scale_up_words(*other) : fmt::format("; no part of the catalog has {}", stated);
  return finding;
}

ClaimFinding check_nic(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::nic_gbit_per_s);
  const Cluster& cluster = audit.cluster;
  const BytesPerSecond described = cluster.network_per_accelerator(), reference = reference_rate(audit);
  const double usual = gbit(reference > BytesPerSecond{} ? reference : described);
  const bool possible = near_stated(audit.blueprint, finding.claim, gbit(described), ClaimSense::equal);
  conclude(finding, audit.blueprint, usual, ClaimSense::equal, possible);
  finding.arithmetic =
      fmt::format("{} x {:.0f} Gbit/s for {} accelerators = {:.1f} GB/s each", cluster.nics,
                  gbit(cluster.nic_bandwidth), cluster.node_accelerators, described.in(gigabyte_per_second));
  if (usual != gbit(described))
    finding.arithmetic +=
        fmt::format(", {:.2g} of the {:.0f} Gbit/s of {}", gbit(described) / usual, usual, cluster.spec.node.part);
  finding.arithmetic += switches_words(audit, cluster.nic_bandwidth);
  if (usual != gbit(described)) finding.arithmetic += switches_words(audit, reference);
  finding.remedy = fmt::format("use NICs of {:.0f} Gbit/s per accelerator", usual);
  return finding;
}

long long SwitchCount::total() const {
  return std::accumulate(tiers.begin(), tiers.end(), 0LL);
}

std::string SwitchCount::words() const {
  if (tiers.size() == 1) return fmt::format("{}", tiers[0]);
  return fmt::format("{} = {}", fmt::join(tiers, " + "), total());
}

long long two_tier_limit(int ports) {
  return static_cast<long long>(ports) * ports / 2;
}

SwitchCount joined_switches(long long endpoints, int ports) {
  if (endpoints <= ports) return {{1}};
  const long long leaves = switches_for(endpoints, ports / 2);
  if (endpoints <= two_tier_limit(ports)) return {{leaves, switches_for(endpoints, ports)}};
  return {{leaves, leaves, switches_for(endpoints, ports)}};
}

SwitchCount plane_switches(const NetworkSize& size, int ports) {
  if (size.nodes > two_tier_limit(ports) || size.nics_per_node < 1) return {};
  const FabricPorts both{{ports, ports}, 0};
  const std::vector<FatTreeTier> tiers = fat_tree_shape(plane_fabric(), size, both);
  const long long leaves = switches_for(size.nodes, tiers[0].nodes);
  if (leaves == 1) return {{static_cast<long long>(tiers[0].rails)}};
  return {
      {tiers[0].rails * leaves * tiers[0].switches(), static_cast<long long>(tiers[1].rails) * tiers[1].switches()}};
}

const SwitchPart* switch_for(BytesPerSecond rate, const FabricSpec& fabric, const Catalog& catalog) {
  for (const TierSpec& tier : fabric.tiers)
    if (const SwitchPart* part = catalog.find_switch(tier.switch_part); part && runs_at(*part, rate)) return part;
  const SwitchPart* other = nullptr;
  for (const SwitchPart& part : catalog.switches) {
    if (!runs_at(part, rate)) continue;
    if (part.fabric.starts_with("InfiniBand") == (fabric.transport == Transport::infiniband)) return &part;
    if (!other) other = &part;
  }
  return other;
}

}  // namespace clusterwright
