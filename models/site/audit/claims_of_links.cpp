#include <fmt/format.h>

#include <algorithm>

#include "models/site/audit/claim_checks.hpp"
#include "models/site/audit/switch_counts.hpp"

namespace clusterwright {

namespace {

/// "nvlink3" of "NVLink 3.0".
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
    text += fmt::format(", {:.0f} GB/s a direction", part.scale_up_bandwidth->value.in(gigabyte_per_second));
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

/// Of one accelerator with the network cards that its node part comes with; zero where that is not known.
BytesPerSecond reference_rate(const AuditCase& c) {
  const NodePart* node = c.catalog.find_node(c.scenario.cluster.spec.node.part);
  const NicPart* nic = node ? c.catalog.find_nic(node->nic_id) : nullptr;
  if (!nic || !node->nic_count || !node->accelerator_count) return {};
  return nic->rate.value * node->nic_count->value / node->accelerator_count->value;
}

/// What switches of one rate would take to join all network cards.
std::string switches_words(const AuditCase& c, BytesPerSecond rate) {
  const SwitchPart* part = switch_for(rate, c.scenario.cluster.spec.fabric, c.catalog);
  if (!part) return {};
  const int ports = part->ports.value;
  const NetworkSize size = c.scenario.cluster.network_size();
  const long long ends = 1LL * size.nodes * size.nics_per_node;
  std::string text =
      fmt::format("; {}-port switches at {:.0f} Gbit/s: two tiers end at {}, {} endpoints joined take at least {}",
                  ports, gbit(rate), two_tier_limit(ports), ends, joined_switches(ends, ports).words());
  const SwitchCount planes = plane_switches(size, ports);
  if (planes.total() > 0) text += fmt::format(", as {} rail planes {}", size.nics_per_node, planes.words());
  return text;
}

}  // namespace

ClaimFinding check_scale_up(const AuditCase& c) {
  ClaimFinding finding = finding_of(c, ClaimKind::scale_up);
  const AcceleratorPart& part = c.scenario.cluster.accelerator;
  finding.arithmetic = scale_up_words(part);
  finding.remedy = fmt::format("claim {}", part.scale_up_kind.empty() ? "no scale-up links" : part.scale_up_kind);
  const std::string stated = finding.stated ? std::get<std::string>(*finding.stated) : part.scale_up_kind;
  const bool right = plain(stated) == plain(part.scale_up_kind);
  conclude(finding, part.scale_up_kind, right);
  if (right) return finding;
  const AcceleratorPart* other = part_with(stated, c.catalog);
  finding.arithmetic += other ? "; " + scale_up_words(*other) : fmt::format("; nothing in the catalog has {}", stated);
  return finding;
}

ClaimFinding check_nic(const AuditCase& c) {
  ClaimFinding finding = finding_of(c, ClaimKind::nic_gbit_per_s);
  const Cluster& cluster = c.scenario.cluster;
  const BytesPerSecond described = cluster.network_per_accelerator(), reference = reference_rate(c);
  const double usual = gbit(reference > BytesPerSecond{} ? reference : described);
  const std::optional<double> stated = c.blueprint.stated_number(ClaimKind::nic_gbit_per_s);
  const bool possible = stated && near_enough(*stated, gbit(described), ClaimSense::equal, c.blueprint.tolerance);
  conclude(finding, c, usual, ClaimSense::equal, possible);
  finding.arithmetic =
      fmt::format("{} x {:.0f} Gbit/s for {} accelerators = {:.1f} GB/s each", cluster.nics,
                  gbit(cluster.nic_bandwidth), cluster.node_accelerators, described.in(gigabyte_per_second));
  if (usual != gbit(described))
    finding.arithmetic += fmt::format(", {:.2g} of the {:.0f} Gbit/s that {} comes with", gbit(described) / usual,
                                      usual, cluster.spec.node.part);
  finding.arithmetic += switches_words(c, cluster.nic_bandwidth);
  if (usual != gbit(described)) finding.arithmetic += switches_words(c, reference);
  finding.remedy = fmt::format("network cards of {:.0f} Gbit/s for each accelerator", usual);
  return finding;
}

}  // namespace clusterwright
