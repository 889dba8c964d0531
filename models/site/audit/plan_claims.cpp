// SPDX-License-Identifier: Apache-2.0
#include "models/site/audit/plan_claims.hpp"

#include <fmt/format.h>

#include "models/job/price_list.hpp"

namespace clusterwright {

namespace {

/// Energy of a year in continuous use.
double gigawatt_hours(Watts power) {
  return (power * year).in(1e6 * kilowatt_hour);
}

}  // namespace

ClaimFinding check_it_power(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::it_mw);
  const SiteFigures& site = audit.site;
  const double rated = site.it_rated.in(megawatt), mean = site.it_mean.in(megawatt);
  const auto stated = audit.blueprint.stated_number(ClaimKind::it_mw);
  const bool typical = stated && near_enough(*stated, mean, ClaimSense::equal, audit.blueprint.tolerance);
  conclude(finding, audit.blueprint, rated, ClaimSense::equal, typical);
  finding.arithmetic = fmt::format(
      "{} nodes x {:.2f} kW and switches, storage and services: {:.2f} MW rated, {:.2f} MW in the predicted "
      "step",
      site.nodes, site.node_rated.in(kilowatt), rated, mean);
  finding.remedy = fmt::format("claim {:.2f} MW", rated);
  return finding;
}

ClaimFinding check_switches(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::switches);
  const SiteFigures& site = audit.site;
  conclude(finding, audit.blueprint, static_cast<double>(site.switches), ClaimSense::equal);
  finding.arithmetic = fmt::format("{} switches of the network for training, as planned: {}", site.switches,
                                   site.switches_words.empty() ? "none" : site.switches_words);
  finding.remedy = fmt::format("claim {} switches", site.switches);
  return finding;
}

ClaimFinding check_cables(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::cables);
  const SiteFigures& site = audit.site;
  conclude(finding, audit.blueprint, static_cast<double>(site.links), ClaimSense::equal);
  finding.arithmetic = fmt::format("{} links of the network for training, as planned: {}", site.links,
                                   site.links_words.empty() ? "none" : site.links_words);
  finding.remedy = fmt::format("claim {} cables", site.links);
  return finding;
}

ClaimFinding check_pue(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::pue);
  const SiteFigures& site = audit.site;
  conclude(finding, audit.blueprint, site.pue, ClaimSense::at_most);
  finding.arithmetic = fmt::format(
      "{:.2f} MW from the grid over {:.2f} MW of machines, mean of a year = {:.3f}; {:.3f} on the design day",
      site.site_mean.in(megawatt), site.it_mean.in(megawatt), site.pue, site.site_hottest / site.it_rated);
  finding.remedy = fmt::format("claim a PUE of {:.2f}", site.pue);
  return finding;
}

ClaimFinding check_energy(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::energy_gwh_per_year);
  const SiteFigures& site = audit.site;
  const double energy = gigawatt_hours(site.site_mean);
  conclude(finding, audit.blueprint, energy, ClaimSense::at_most);
  finding.arithmetic = fmt::format(
      "{:.2f} MW from the grid in the predicted step x 8,766 h = {:.1f} GWh; everything at "
      "its nameplate: {:.1f} GWh",
      site.site_mean.in(megawatt), energy, gigawatt_hours(site.site_rated));
  finding.remedy = fmt::format("claim {:.0f} GWh a year", energy);
  return finding;
}

}  // namespace clusterwright
