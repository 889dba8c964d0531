// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/facility_power.hpp"

#include <algorithm>

#include "topology/parts/parts.hpp"

namespace clusterwright {

namespace {

PowerNode node_with(std::string name, std::vector<PowerNode> parts) {
  PowerNode out{std::move(name), {}, {}};
  for (PowerNode& part : parts) {
    if (part.power == Watts{}) continue;
    out.power += part.power;
    out.parts.push_back(std::move(part));
  }
  return out;
}

PowerNode nodes_tree(const MachinePower& machines) {
  const Watts all = machines.node * machines.nodes;
  if (machines.accelerators == Watts{}) return {"nodes", all, {}};
  // A node may be rated below its accelerators: then all of its power is theirs.
  const Watts accelerators = std::min(all, machines.accelerators * machines.nodes);
  return node_with("nodes", {{"accelerators", accelerators, {}}, {"hosts", all - accelerators, {}}});
}

PowerNode machines_tree(const MachinePower& machines) {
  return node_with("machines", {nodes_tree(machines),
                                node_with("switches", machines.switches),
                                {"storage", machines.storage, {}},
                                {"services", machines.services, {}}});
}

PowerNode cooling_tree(const RemovalPower& removal, Watts cooling) {
  const double scale = removal.total() > Watts{} ? cooling / removal.total() : 0;
  return node_with("cooling", {{"coolant pumps", scale * removal.pumps, {}},
                               {"air movers", scale * removal.air_movers, {}},
                               {"heat rejection", scale * removal.rejection, {}},
                               {"compressors", scale * removal.compressors, {}}});
}

const char* loss_name(PowerStageKind kind) {
  switch (kind) {
    case PowerStageKind::transformer:
      return "transformers";
    case PowerStageKind::ups:
      return "UPS";
    case PowerStageKind::pdu:
      return "power distribution units";
    case PowerStageKind::busway:
      return "busways";
    default:
      return "rack circuits";
  }
}

}  // namespace

Watts MachinePower::total() const {
  return machines_tree(*this).power;
}

CoolingDraw draw_of(const RemovalPower& removal) {
  return {removal.pumps + removal.air_movers, removal.rejection + removal.compressors};
}

FacilityPower facility_power(const MachinePower& machines, const PowerChain& chain, const RemovalPower& removal,
                             std::optional<double> given_pue) {
  FacilityPower out;
  out.it = machines.total();
  out.cooling = removal.total();
  out.other = chain.other(out.it);
  const auto flows = chain.flows(out.it, draw_of(removal));
  for (const PowerChain::PowerStageFlow& flow : flows) out.losses += flow.loss;
  double kept = 1;  // kept share of losses and other, where a stated PUE leaves less than they take
  if (given_pue) {
    const Watts beside = out.it * (*given_pue - 1);
    kept = std::min(1.0, beside / (out.losses + out.other));
    out.losses *= kept;
    out.other *= kept;
    out.cooling = std::max(Watts{}, beside - out.losses - out.other);  // zero may round below
  }
  std::vector<PowerNode> losses;
  for (const PowerChain::PowerStageFlow& flow : flows)
    losses.push_back({loss_name(flow.stage->part->kind), kept * flow.loss, {}});
  out.tree = node_with("grid", {machines_tree(machines),
                                cooling_tree(removal, out.cooling),
                                node_with("losses", std::move(losses)),
                                {"other", out.other, {}}});
  out.facility = out.tree.power;
  out.pue = out.facility / out.it;
  return out;
}

}  // namespace clusterwright
