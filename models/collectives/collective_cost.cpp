#include "models/collectives/collective_cost.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace clusterwright {

namespace {

const std::string switch_curve = "all_reduce_switch";

/// Everything that one formula needs.
struct Setting {
  Bytes payload;
  const GroupShape& group;
  const GroupLinks& links;
  const NetworkParameters& network;
};

/// How often the payload passes a ring: once to gather or scatter, twice to reduce and spread the result.
double passes(CollectiveOp op) {
  return op == CollectiveOp::all_reduce ? 2 : 1;
}

Bytes ring_wire(CollectiveOp op, Bytes payload, int ranks) {
  if (op == CollectiveOp::send) return payload;
  return passes(op) * payload * static_cast<double>(ranks - 1) / static_cast<double>(ranks);
}

Bytes switch_wire(Bytes payload, int ranks) {
  return payload * static_cast<double>(ranks + 1) / static_cast<double>(ranks);
}

BytesPerSecond curve_rate(const CollectiveParameters& curve, Bytes wire, int ranks, BytesPerSecond link) {
  const double group_share = 1 - curve.small_group_loss.value * 2 / static_cast<double>(std::max(ranks, 2));
  const double ramp = std::pow(curve.half_size.value / wire, curve.ramp_exponent.value);
  return link * curve.bandwidth_share.value * group_share / (1 + ramp);
}

Seconds curve_latency(const CollectiveParameters& curve, int ranks) {
  return curve.base_latency.value + curve.rank_latency.value * static_cast<double>(ranks - 1);
}

CollectiveCost inside_node(const CollectiveParameters& curve, Bytes wire, const Setting& at) {
  const int ranks = at.group.ranks();
  return {curve_latency(curve, ranks), wire, curve_rate(curve, wire, ranks, at.links.scale_up), false};
}

/// What the NICs of one node carry together.
BytesPerSecond node_network_rate(const Setting& at) {
  return at.group.ranks_per_node * (at.links.network_per_rank * at.network.bandwidth_share.value);
}

Seconds steps_between_nodes(double steps, const Setting& at) {
  return at.network.base_latency.value + steps * (at.network.hop_latency.value + at.links.switch_latency);
}

CollectiveCost ring_across_nodes(CollectiveOp op, const CollectiveParameters& curve, const Setting& at) {
  const Bytes wire = ring_wire(op, at.payload, at.group.ranks());
  BytesPerSecond rate = node_network_rate(at);
  if (at.group.ranks_per_node > 1) rate = std::min(rate, curve_rate(curve, wire, at.group.ranks(), at.links.scale_up));
  const int inner_hops = at.group.ranks() - at.group.nodes;
  const Seconds latency = steps_between_nodes(passes(op) * (at.group.nodes - 1), at) +
                          curve.rank_latency.value * static_cast<double>(inner_hops);
  return {latency, wire, rate, true};
}

/// Reduced inside each node by its switch, between nodes along a tree; bytes and rates are those of a ring as fast.
CollectiveCost switch_tree_across_nodes(const CollectiveParameters& curve, const Setting& at) {
  const int members = at.group.ranks_per_node;
  const Bytes wire = ring_wire(CollectiveOp::all_reduce, at.payload, at.group.ranks());
  const Bytes inner = switch_wire(at.payload, members);
  const double bus_factor = ring_wire(CollectiveOp::all_reduce, at.payload, members) / inner;
  const BytesPerSecond inner_rate = curve_rate(curve, inner, members, at.links.scale_up) * bus_factor;
  const double network_share = at.group.nodes == 2 ? 0.5 : 1;
  const BytesPerSecond network_rate = node_network_rate(at) / network_share;
  const double steps = 2 * std::ceil(std::log2(static_cast<double>(at.group.nodes)));
  return {steps_between_nodes(steps, at) + curve_latency(curve, members),
          wire,
          std::min(inner_rate, network_rate),
          true,
          network_share,
          1 / bus_factor};
}

CollectiveCost message_between_nodes(const Setting& at) {
  return {at.network.message_latency.value + at.links.switch_latency, at.payload,
          at.links.network_per_rank * at.network.bandwidth_share.value, true};
}

CollectiveCost all_to_all_across_nodes(const CollectiveParameters& curve, const Setting& at) {
  const double away = static_cast<double>(at.group.nodes - 1) / static_cast<double>(at.group.nodes);
  CollectiveCost cost = message_between_nodes(at);
  cost.latency += at.network.base_latency.value + curve.rank_latency.value * static_cast<double>(at.group.ranks() - 1);
  cost.wire = at.payload * away;
  return cost;
}

CollectiveCost faster(const CollectiveCost& a, const CollectiveCost& b) {
  return b.time() < a.time() ? b : a;
}

const CollectiveParameters& curve_of(const std::map<std::string, CollectiveParameters>& curves, CollectiveOp op) {
  const auto found = curves.find(std::string(name_of(op)));
  if (found == curves.end()) throw std::invalid_argument("no curve for " + std::string(name_of(op)));
  return found->second;
}

CollectiveCost plain_cost(CollectiveOp op, const CollectiveParameters& curve, const Setting& at) {
  if (at.group.nodes == 1) return inside_node(curve, ring_wire(op, at.payload, at.group.ranks()), at);
  if (op == CollectiveOp::send) return message_between_nodes(at);
  if (op == CollectiveOp::all_to_all) return all_to_all_across_nodes(curve, at);
  return ring_across_nodes(op, curve, at);
}

CollectiveCost switch_cost(const CollectiveParameters& curve, const Setting& at) {
  if (at.group.nodes == 1) return inside_node(curve, switch_wire(at.payload, at.group.ranks()), at);
  return switch_tree_across_nodes(curve, at);
}

}  // namespace

CollectiveCost collective_cost(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                               const std::map<std::string, CollectiveParameters>& curves,
                               const NetworkParameters& network) {
  const CollectiveParameters& curve = curve_of(curves, op);
  if (group.ranks() < 2 || payload <= Bytes{}) return {Seconds{}, Bytes{}, byte_per_second, false};
  const Setting at{payload, group, links, network};
  const CollectiveCost plain = plain_cost(op, curve, at);
  if (op != CollectiveOp::all_reduce || !links.switch_reduction || group.ranks_per_node < 2) return plain;
  const auto reducing = curves.find(switch_curve);
  return reducing == curves.end() ? plain : faster(plain, switch_cost(reducing->second, at));
}

}  // namespace clusterwright
