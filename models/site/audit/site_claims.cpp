// SPDX-License-Identifier: Apache-2.0
#include "models/site/audit/site_claims.hpp"

#include <fmt/format.h>

#include "models/kernels/kernel_power.hpp"
#include "models/prediction/prediction.hpp"
#include "models/settling/governor.hpp"
#include "models/settling/step_simulation.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "models/site/plant/heat_removal.hpp"
#include "models/site/plant/plant_verdicts.hpp"
#include "sim/plain_number.hpp"
#include "topology/nodes/power_limit.hpp"

namespace clusterwright {

namespace {

double kw(Watts power) {
  return power.in(kilowatt);
}

/// Power cap on accelerators that keeps a rack within its budget, in words.
std::string cap_words(const AuditCase& audit, const JobCase& job, Watts budget) {
  const int each = audit.cluster.node_accelerators;
  const Watts cap = (budget / audit.site.nodes_per_rack - audit.site.node_other) / each;
  const auto speed = speed_at_cap(job.used.scenario, job.step, cap);
  if (!speed) return fmt::format("; no power cap of the accelerators lowers it to {} kW", plain_number(kw(budget), 6));
  return fmt::format(
      "; {} kW needs a cap of ({:.2f} - {:.2f} kW) / {} = {:.0f} W, under which GEMMs take {:.0f} % longer and "
      "the step {:.0f} %",
      plain_number(kw(budget), 6), kw(budget / audit.site.nodes_per_rack), kw(audit.site.node_other), each,
      cap.in(watt), 100 * (1 / speed->gemm - 1), 100 * (1 / speed->step - 1));
}

/// Rack cooling with the largest capacity without liquid.
const RackCoolingPart* best_air(const Catalog& catalog) {
  const RackCoolingPart* best = nullptr;
  for (const RackCoolingPart& part : catalog.rack_cooling)
    if (part.liquid_share.value == 0 && (!best || part.capacity.value > best->capacity.value)) best = &part;
  return best;
}

bool carries(const RackCoolingPart& part, Watts heat) {
  return heat <= part.capacity.value && heat * (1 - part.liquid_share.value) <= part.air_capacity.value;
}

std::string flow_words(const RackCoolingPart& part, Watts heat) {
  if (part.liquid_share.value == 0) return {};
  const double flow =
      coolant_l_per_min(part.liquid_share.value * heat, part.coolant_rise_k.value, part.coolant_heat_j_per_l_k.value);
  return fmt::format("; coolant that takes {:.0f} % of {:.1f} kW and warms by {:g} K flows at {:.0f} L/min",
                     100 * part.liquid_share.value, kw(heat), part.coolant_rise_k.value, flow);
}

/// Why nodes do not suit a cooling of racks, by the verdicts of a plan; empty where they do.
std::string unsuited_words(const AuditCase& audit, const RackCoolingPart& part) {
  CoolingParts cooling = cooling_parts(audit.facility.cooling, audit.catalog);
  if (cooling.racks != &part) {
    cooling.racks = &part;
    cooling.air_supply_c = part.air_supply_c.value;
  }
  const NodePart* node = audit.catalog.find_node(audit.site.node_part);
  if (const NodePart* machine = audit.catalog.find_node(node->machine)) node = machine;
  std::string out;
  for (const SiteVerdict& verdict : node_cooling_verdicts(*node, cooling, audit.catalog))
    if (!verdict.holds) out += "; " + verdict.arithmetic;
  return out;
}

/// Clock at which GEMMs that keep the matrix units busy draw the limit.
double gemm_clock(const Scenario& scenario, Watts limit) {
  const DevicePowerParameters& power = scenario.parameters.power;
  const Watts above_idle =
      power.tensor_weight.value *
      power_range(scenario.cluster.accelerator, power, scenario.parameters.gemm.at("bf16").density_reference.value).die;
  const Watts headroom = limit - idle_power(scenario.cluster.accelerator, power);
  Stretch gemm;
  gemm.time = 1;
  gemm.add_kernels(above_idle.in(watt), gemm.time, 1);
  return Governor(headroom.in(watt), power.voltage(), power.governor_window.value.in(second)).allowed_clock(gemm);
}

}  // namespace

ClaimFinding check_rack(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::rack_kw);
  const SiteFigures& site = audit.site;
  const std::optional<double> stated = audit.blueprint.stated_number(ClaimKind::rack_kw);
  const bool typical = near_stated(audit.blueprint, finding.claim, kw(site.rack_mean()), ClaimSense::at_most);
  conclude(finding, audit.blueprint, kw(site.rack_rated()), ClaimSense::at_most, typical);
  finding.arithmetic =
      fmt::format("{} nodes x {:.2f} kW = {:.1f} kW rated ({} of the catalog), {:.1f} kW {}", site.nodes_per_rack,
                  kw(site.node_rated), kw(site.rack_rated()), site.node_part, kw(site.rack_mean()), audit.in_use());
  if (!stated || finding.holds == Holds::yes) return finding;
  if (audit.job) finding.arithmetic += cap_words(audit, *audit.job, *stated * kilowatt);
  const int fewer = static_cast<int>(*stated * kilowatt / site.node_rated);
  finding.remedy = fmt::format("{} {} per rack, or racks for {:.0f} kW", fewer, fewer == 1 ? "node" : "nodes",
                               kw(site.rack_rated()));
  return finding;
}

ClaimFinding check_cooling(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::cooling);
  const RackCoolingPart& part = *find_part(audit.catalog.rack_cooling, std::get<std::string>(*finding.stated));
  const std::string unsuited = unsuited_words(audit, part);
  const Watts rated = audit.site.rack_rated();
  const auto claimed = audit.blueprint.stated_number(ClaimKind::rack_kw);
  const Watts stated = claimed ? *claimed * kilowatt : rated;
  const RackCoolingPart* air = best_air(audit.catalog);
  const bool needless = part.liquid_share.value > 0 && air && carries(*air, stated);
  const bool suits = unsuited.empty(), right = carries(part, rated);
  conclude(finding,
           !suits  ? "unsuited"
           : right ? "sufficient"
                   : "insufficient",
           suits && right && !needless, suits && (right || carries(part, stated)));
  finding.arithmetic =
      fmt::format("{} removes up to {:.0f} kW; a rack is rated {:.1f} kW", part.id, kw(part.capacity.value), kw(rated));
  if (air && part.liquid_share.value > 0)
    finding.arithmetic += needless ? fmt::format("; the claimed {} kW needs no liquid: {} removes up to {:.0f} kW",
                                                 plain_number(kw(stated), 6), air->id, kw(air->capacity.value))
                                   : fmt::format("; {} removes at most {:.0f} kW", air->id, kw(air->capacity.value));
  finding.arithmetic += flow_words(part, rated) + unsuited;
  finding.remedy = !suits     ? "choose cooling that suits the nodes, or nodes that are sold with it"
                   : needless ? "give the true power of a rack as the reason"
                              : "choose cooling for that power";
  return finding;
}

ClaimFinding check_site(const AuditCase& audit) {
  ClaimFinding finding = finding_of(audit.blueprint, ClaimKind::site_mw);
  const SiteFigures& site = audit.site;
  const double rated = site.site_rated.in(megawatt), mean = site.site_mean.in(megawatt);
  const std::optional<double> stated = audit.blueprint.stated_number(ClaimKind::site_mw);
  const auto near = [&](double computed) {
    return near_stated(audit.blueprint, finding.claim, computed, ClaimSense::equal);
  };
  const double hottest = site.site_hottest.in(megawatt);
  conclude(finding, audit.blueprint, rated, ClaimSense::equal, near(mean) || near(hottest) || near(2 * rated));
  const double nodes = site.nodes * site.node_rated.in(megawatt);
  finding.arithmetic = fmt::format(
      "{} nodes x {:.2f} kW + {:.2f} MW of network, storage and services = {:.2f} MW of IT, x PUE {:.2f} = {:.2f} MW "
      "rated, {:.2f} MW on the hottest day, {:.2f} MW {}; two complete paths (2N) are {:.2f} MW",
      site.nodes, kw(site.node_rated), site.it_rated.in(megawatt)-nodes, site.it_rated.in(megawatt), site.pue, rated,
      hottest, mean, audit.in_use(), 2 * rated);
  if (stated)
    finding.arithmetic += fmt::format("; {} MW is {:.1f} kW per accelerator", plain_number(*stated, 6),
                                      *stated * 1e3 / audit.cluster.spec.accelerators);
  finding.remedy = fmt::format("claim {:.2f} MW", rated);
  return finding;
}

std::optional<CappedSpeed> speed_at_cap(const Scenario& scenario, const StepPrediction& step, Watts cap) {
  const AcceleratorPart& part = scenario.cluster.accelerator;
  if (cap <= std::max(least_power_limit(part), idle_power(part, scenario.parameters.power))) return {};
  Scenario capped = scenario;
  capped.cluster.accelerator.power_limit = cap;
  const StepSummary slowed = summarise_step(capped, step.plan);
  if (slowed.beyond_limit) return {};
  const Seconds time = to_seconds(slowed.end);
  return CappedSpeed{gemm_clock(scenario, cap) / gemm_clock(scenario, part.power.value), step.step_time / time};
}

}  // namespace clusterwright
