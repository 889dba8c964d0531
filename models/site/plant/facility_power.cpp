// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/facility_power.hpp"

#include <algorithm>
#include <cmath>

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

PowerNode cooling_tree(const RemovalPower& removal) {
  return node_with("cooling", {{"coolant pumps", removal.pumps, {}},
                               {"air movers", removal.air_movers, {}},
                               {"heat rejection", removal.rejection, {}},
                               {"compressors", removal.compressors, {}}});
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

using Flows = std::vector<PowerChain::PowerStageFlow>;

constexpr int most_rounds = 30;
/// Change of losses over the power of the machines that ends the repetition.
constexpr double settled = 1e-12;

/// Transformers stand outdoors.
bool indoors(PowerStageKind kind) {
  return kind != PowerStageKind::transformer;
}

Watts losses_of(const Flows& flows, bool indoors_only) {
  Watts sum;
  for (const PowerChain::PowerStageFlow& flow : flows)
    if (!indoors_only || indoors(flow.stage->part->kind)) sum += flow.loss;
  return sum;
}

/// Same removal with another power, as a stated power usage effectiveness says.
void scale_to(RemovalPower& removal, Watts power) {
  const double scale = removal.total() > Watts{} ? power / removal.total() : 0;
  for (Watts* part : {&removal.pumps, &removal.air_movers, &removal.rejection, &removal.compressors}) *part *= scale;
  if (scale == 0) removal.rejection = power;
}

/// @param kept  kept share of losses and other, where a stated PUE leaves less than they take (a verdict says so)
FacilityPower facility_power(const MachinePower& machines, const CoolingState& cooling, const Flows& flows, Watts other,
                             double kept) {
  FacilityPower out;
  out.it = cooling.machines;
  out.nodes = machines.node * machines.nodes;
  out.losses = kept * losses_of(flows, false);
  out.cooling = cooling.removal.total();
  out.other = kept * other;
  std::vector<PowerNode> losses;
  for (const PowerChain::PowerStageFlow& flow : flows)
    losses.push_back({loss_name(flow.stage->part->kind), kept * flow.loss, {}});
  out.tree = node_with("grid", {machines_tree(machines),
                                cooling_tree(cooling.removal),
                                node_with("losses", std::move(losses)),
                                {"other", out.other, {}}});
  out.facility = out.tree.power;
  out.pue = out.facility / out.it;
  return out;
}

PowerChain chain_for(const PowerChainSpec& spec, const Catalog& catalog, const MachinePower& rated,
                     const CoolingParts& cooling, const RackFeedCounts& feeds, std::optional<double> pue) {
  CoolingDraw draw{Watts{}};
  for (int round = 0;; ++round) {
    PowerChain chain(spec, catalog, rated.total(), draw, feeds);
    const CoolingDraw next = draw_of(operate(rated, chain, cooling, Weather::design_day, pue).cooling.removal);
    if (round == most_rounds || next.total() <= draw.total() * (1 + settled)) return chain;
    draw = next;
  }
}

}  // namespace

Watts MachinePower::total() const {
  return machines_tree(*this).power;
}

CoolingDraw draw_of(const RemovalPower& removal) {
  return {removal.pumps + removal.air_movers, removal.rejection + removal.compressors};
}

OperatingPoint operate(const MachinePower& machines, const PowerChain& chain, const CoolingParts& cooling,
                       Weather weather, std::optional<double> pue) {
  CoolingState state;
  state.machines = machines.total();
  const Watts other = chain.other(state.machines);
  Flows flows;
  Watts losses;
  for (int round = 0; round < most_rounds; ++round) {
    const Watts warm = losses_of(flows, true) + other;
    state.heat = {machines.liquid(), state.machines - machines.liquid() + warm};
    state.removal = heat_removal(cooling, state.heat, weather);
    if (pue) scale_to(state.removal, std::max(Watts{}, state.machines * (*pue - 1) - losses - other));
    flows = chain.flows(state.machines, draw_of(state.removal));
    const Watts now = losses_of(flows, false);
    const bool done = std::abs((now - losses) / state.machines) < settled;
    losses = now;
    if (done) break;
  }
  const double kept = pue ? std::min(1.0, state.machines * (*pue - 1) / (losses + other)) : 1;
  return {facility_power(machines, state, flows, other, kept), state};
}

DesignedChain design_chain(const PowerChainSpec& spec, const Catalog& catalog, const MachinePower& rated,
                           const CoolingParts& cooling, const RackFeedCounts& feeds, const StatedPue& stated) {
  PowerChain chain = chain_for(spec, catalog, rated, cooling, feeds, stated.design_day);
  if (stated.design_day || !stated.year) return {std::move(chain), stated.design_day};
  const double modelled = operate(rated, chain, cooling, Weather::design_day, std::nullopt).power.pue;
  if (modelled >= *stated.year) return {std::move(chain), std::nullopt};
  return {chain_for(spec, catalog, rated, cooling, feeds, stated.year), stated.year};
}

}  // namespace clusterwright
