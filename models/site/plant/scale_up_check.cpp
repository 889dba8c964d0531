// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/scale_up_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "models/site/plant/site_verdict.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

namespace {

/// Slack for connectors and the way around the back of two trays, both ends together.
constexpr Meters slack = 0.2 * meter;
/// Depth of a tray; the space behind it holds the cables.
constexpr Meters tray_depth = 0.9 * meter;
/// Share of the cross-section of a bundle that round cables fill.
constexpr double bundle_fill = 0.7;
/// Width of posts and power bars on both sides of the bundles.
constexpr Meters beside_bundles = 0.1 * meter;

const CablePart* backplane_of(const Catalog& catalog, const std::string& scale_up_kind) {
  for (const CablePart& part : catalog.cables)
    if (part.kind == CableKind::backplane && part.scale_up_kind == scale_up_kind) return &part;
  return nullptr;
}

/// Heights of trays in one rack, in rack units: nodes in two halves, switches between them.
struct Stack {
  int nodes = 0, switches = 0;
  double node_u = 1;

  double node_height(int node) const { return (node < nodes / 2 ? 0 : switches) + (node + 0.5) * node_u; }
  double switch_height(int tray) const { return nodes / 2 * node_u + tray + 0.5; }
};

struct Lengths {
  Meters longest, mean;
};

Lengths cable_lengths(const Stack& stack, int racks, Meters rack_width) {
  Lengths out;
  const int switches = std::max(1, stack.switches);
  Meters sum;
  for (int rack = 0; rack < racks; ++rack)
    for (int node = 0; node < stack.nodes; ++node)
      for (int tray = 0; tray < switches; ++tray) {
        const Meters sideways = std::abs(rack - racks / 2) * rack_width;
        const Meters length =
            std::abs(stack.node_height(node) - stack.switch_height(tray)) * rack_unit + sideways + slack;
        out.longest = std::max(out.longest, length);
        sum += length;
      }
  out.mean = sum / (racks * stack.nodes * switches);
  return out;
}

/// Verdict on the layer of cables behind the middle of a rack, where the cables of all nodes pass.
void judge_bundle(const ScaleUpCheck& check, const CablePart& part, const RackPart& frame,
                  std::vector<SiteVerdict>& verdicts) {
  if (!part.diameter || !part.bend_radius) return;
  const double diameter = part.diameter->value.in(meter);
  const double area = static_cast<double>(check.cables) / check.racks * std::numbers::pi / 4 * diameter * diameter;
  const Meters thick = area / bundle_fill / (frame.width.value - beside_bundles).in(meter)*meter;
  const Meters room = frame.depth.value - tray_depth;
  const Meters needed = thick + part.bend_radius->value;
  verdicts.push_back(
      {"room for scale-up cables", needed <= room,
       fmt::format("{} cables form a layer of {:.0f} mm and bend over {:.0f} mm; behind the trays {:.0f} mm are "
                   "free",
                   check.cables / check.racks, 1e3 * thick.in(meter), 1e3 * part.bend_radius->value.in(meter),
                   1e3 * room.in(meter)),
       "node.scale_up_domain, or facility.rack.frame"});
}

}  // namespace

std::optional<ScaleUpCheck> check_scale_up(const Cluster& cluster, const Catalog& catalog, const ComputeBlock& block,
                                           const RackPart& frame, int nodes_per_rack,
                                           std::vector<SiteVerdict>& verdicts) {
  const int nodes = cluster.domain / cluster.node_accelerators;
  const CablePart* part = backplane_of(catalog, cluster.accelerator.scale_up_kind);
  if (nodes < 2 || !part || !part->pairs_per_link || !cluster.accelerator.scale_up_links) return {};
  ScaleUpCheck out;
  out.accelerators = cluster.domain;
  out.racks = (nodes + nodes_per_rack - 1) / nodes_per_rack;
  const Stack stack{std::min(nodes, nodes_per_rack),
                    block.machine && block.machine->switch_trays ? block.machine->switch_trays->value : 0,
                    block.node->rack_units ? block.node->rack_units->value : 1};
  const Lengths lengths = cable_lengths(stack, out.racks, frame.width.value);
  const int links = cluster.domain * cluster.accelerator.scale_up_links->value;
  out.cables = static_cast<long long>(links) * part->pairs_per_link->value;
  out.longest = lengths.longest;
  out.total_length = lengths.mean * static_cast<double>(out.cables);
  if (part->mass_per_length) out.mass = part->mass_per_length->value * out.total_length;
  if (part->reach) out.reach = part->reach->value;
  out.holds = !out.reach || out.longest <= *out.reach;
  out.arithmetic =
      fmt::format("{} accelerators x {} links x {} pairs = {} cables, {:.2f} m at most, {:.1f} km in total",
                  cluster.domain, cluster.accelerator.scale_up_links->value, part->pairs_per_link->value, out.cables,
                  out.longest.in(meter), out.total_length.in(meter) / 1e3);
  if (out.reach)
    verdicts.push_back(
        {"reach of scale-up copper", out.holds,
         fmt::format("{} accelerators over {} rack{}: the longest cable is {:.2f} m long; passive copper "
                     "reaches {:.2f} m",
                     cluster.domain, out.racks, out.racks == 1 ? "" : "s", out.longest.in(meter), out.reach->in(meter)),
         "node.scale_up_domain"});
  judge_bundle(out, *part, frame, verdicts);
  return out;
}

}  // namespace clusterwright
