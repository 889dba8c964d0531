// SPDX-License-Identifier: Apache-2.0
#include "models/site/audit/plan_claims.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/job/price_list.hpp"
#include "sim/plain_number.hpp"

namespace clusterwright {

namespace {

/// Energy of a year in continuous use.
double gigawatt_hours(Watts power) {
  return (power * year).in(1e6 * kilowatt_hour);
}

/// Claim on a number of machines that the plan counts. @param words  "32 leaf + 16 spine"
ClaimFinding check_count(const AuditCase& audit, ClaimKind kind, long long planned, const char* noun,
                         const std::string& words) {
  ClaimFinding finding = finding_of(audit.blueprint, kind);
  conclude(finding, audit.blueprint, static_cast<double>(planned), ClaimSense::equal);
  finding.arithmetic = fmt::format("{} {} as planned: {}", planned, noun, words.empty() ? "none" : words);
  finding.remedy = fmt::format("claim {} {}", planned, noun);
  return finding;
}

double millions(Dollars sum) {
  return sum.in(dollar) / 1e6;
}

/// "nodes 41.0 + network 4.1 + ... ($ million)"
std::string share_words(const std::vector<CostShare>& shares) {
  std::string words;
  for (const CostShare& share : shares)
    if (share.amount != Dollars{})
      words += fmt::format("{}{} {}", words.empty() ? "" : " + ", share.name, plain_number(millions(share.amount), 3));
  return words;
}

}  // namespace

ClaimFinding check_racks(const AuditCase& audit) {
  const SiteFigures& site = audit.site;
  return check_count(audit, ClaimKind::racks, site.all_racks, "racks",
                     fmt::format("{} with nodes, {} for network, storage and services", site.racks,
                                 std::max(0, site.all_racks - site.racks)));
}

ClaimFinding check_it_power(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::it_mw);
  const SiteFigures& site = audit.site;
  const double rated = site.it_rated.in(megawatt), mean = site.it_mean.in(megawatt);
  const bool typical = near_stated(audit.blueprint, finding.claim, mean, ClaimSense::equal);
  conclude(finding, audit.blueprint, rated, ClaimSense::equal, typical);
  finding.arithmetic =
      fmt::format("{} nodes x {:.2f} kW and switches, storage and services: {:.2f} MW rated, {:.2f} MW {}", site.nodes,
                  site.node_rated.in(kilowatt), rated, mean, audit.in_use());
  finding.remedy = fmt::format("claim {:.2f} MW", rated);
  return finding;
}

ClaimFinding check_it_in_use(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::it_mw_in_use);
  const SiteFigures& site = audit.site;
  const double rated = site.it_rated.in(megawatt), mean = site.it_mean.in(megawatt);
  conclude(finding, audit.blueprint, mean, ClaimSense::equal);
  finding.arithmetic =
      fmt::format("{} nodes x {:.2f} kW and switches, storage and services: {:.2f} MW {}, {:.2f} MW rated", site.nodes,
                  site.node_mean.in(kilowatt), mean, audit.in_use(), rated);
  finding.remedy = fmt::format("claim {:.2f} MW", mean);
  return finding;
}

ClaimFinding check_switches(const AuditCase& audit) {
  return check_count(audit, ClaimKind::switches, audit.site.switches, "switches of the network for training",
                     audit.site.switches_words);
}

ClaimFinding check_cables(const AuditCase& audit) {
  return check_count(audit, ClaimKind::cables, audit.site.links, "links of the network for training",
                     audit.site.links_words);
}

ClaimFinding check_bisection(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::bisection_tb_per_s);
  const Cluster& cluster = audit.cluster;
  const int all = cluster.spec.accelerators;
  const BytesPerSecond each = cluster.network_per_accelerator();
  const double half = (all / 2 * each).in(terabyte_per_second);
  const double bisection = cluster.has_network() ? cluster.fabric.bisection(all, each).in(terabyte_per_second) : 0;
  conclude(finding, audit.blueprint, bisection, ClaimSense::equal);
  finding.arithmetic = fmt::format(
      "one direction, all links up: {} TB/s, {:.0f} % of what half of the {} accelerators send at {:.1f} GB/s each",
      plain_number(bisection), half > 0 ? 100 * bisection / half : 0, all, each.in(gigabyte_per_second));
  finding.remedy = fmt::format("claim {} TB/s in one direction", plain_number(bisection));
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
  finding.arithmetic =
      fmt::format("{:.2f} MW from the grid {} x 8,766 h = {:.1f} GWh; everything at its nameplate: {:.1f} GWh",
                  site.site_mean.in(megawatt), audit.in_use(), energy, gigawatt_hours(site.site_rated));
  finding.remedy = fmt::format("claim {:.0f} GWh a year", energy);
  return finding;
}

ClaimFinding check_price(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::price_million_usd);
  const CostReport& cost = audit.site.cost;
  const double low = millions(cost.low.capex_total), high = millions(cost.high.capex_total);
  const std::optional<double> stated = audit.blueprint.stated_number(finding.claim);
  const bool in_range = stated && *stated >= low && *stated <= high;
  conclude(finding, audit.blueprint, millions(cost.capex_total), ClaimSense::equal, in_range);
  finding.arithmetic =
      fmt::format("{}{} = {} $ million, from {} to {} by the ranges of {} ({})", cost.lower_bound() ? "at least " : "",
                  share_words(cost.capex), plain_number(millions(cost.capex_total)), plain_number(low),
                  plain_number(high), cost.price_list, cost.date);
  finding.remedy = fmt::format("claim ${} million, or state your prices", plain_number(millions(cost.capex_total)));
  return finding;
}

}  // namespace clusterwright
