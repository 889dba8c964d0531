// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/rank_ports.hpp"

#include <fmt/format.h>

#include "topology/routing/routed_network.hpp"

namespace clusterwright {

RankPorts::RankPorts(StepGraphBuilder& builder, const RankClasses& classes, const GroupTimings& timings,
                     const KindPrices& prices, bool copies)
    : classes_(classes), timings_(timings), pcie_(builder, classes, timings, prices, copies) {
  for (const RankClassId c : classes.ids()) ports_.push_back(add_ports(builder, c));
  for (const UplinkBundle& bundle : classes.uplinks())
    uplinks_.push_back(bundle.is_link() ? add_link(builder, bundle) : add_bundle(builder, bundle));
}

ResourceId RankPorts::add_bundle(StepGraphBuilder& builder, const UplinkBundle& bundle) const {
  const FabricTiers::Tier& tier = timings_.cluster().fabric.tiers()[static_cast<std::size_t>(bundle.tier)];
  return builder.add_resource(fmt::format("{} {} {}", tier.name, bundle.group, bundle.up ? "up" : "down"),
                              tier.uplink_capacity * timings_.fabric_share());
}

ResourceId RankPorts::add_link(StepGraphBuilder& builder, const UplinkBundle& bundle) const {
  const NetworkGraph& graph = timings_.cluster().network().graph;
  const LinkId link(static_cast<std::size_t>(bundle.group));
  return builder.add_resource(graph.link_name(link), graph.capacity(link) * timings_.fabric_share());
}

RankPorts::Ports RankPorts::add_ports(StepGraphBuilder& builder, RankClassId c) const {
  const auto port = [&](const char* kind, BytesPerSecond rate) {
    return builder.add_resource(fmt::format("{} of class {}", kind, c.value), rate);
  };
  const BytesPerSecond inner = timings_.of(c).inner(), network = timings_.of(c).network();
  Ports ports;
  if (inner > BytesPerSecond{}) {
    ports.scale_up_out = port("scale-up out", inner);
    ports.scale_up_in = port("scale-up in", inner);
  }
  if (network > BytesPerSecond{}) {
    ports.network_out = port("network out", network);
    ports.network_in = port("network in", network);
  }
  return ports;
}

void RankPorts::use(Uses& uses, RankClassId c, const CollectiveTiming& timing, int members_per_domain) const {
  const Ports& ports = ports_[c];
  const double network = timing.crosses_domains ? timing.network_share / members_per_domain : 0;
  const double inner = !timing.crosses_domains || members_per_domain > 1 ? timing.scale_up_share : 0;
  if (timing.crosses_domains) {
    uses.push_back({ports.network_out, 1, network});
    uses.push_back({ports.network_in, 1, network});
  }
  if (!timing.crosses_domains || members_per_domain > 1) {
    uses.push_back({ports.scale_up_out, 1, inner});
    uses.push_back({ports.scale_up_in, 1, inner});
  }
  for (const bool out : {true, false}) pcie_.use(uses, out, c, network, inner);
}

void RankPorts::use_sender(Uses& uses, RankClassId c, bool near) const {
  uses.push_back({near ? ports_[c].scale_up_out : ports_[c].network_out, 1, 1.0});
  pcie_.use(uses, true, c, near ? 0 : 1, near ? 1 : 0);
}

void RankPorts::use_receiver(Uses& uses, RankClassId c, bool near) const {
  uses.push_back({near ? ports_[c].scale_up_in : ports_[c].network_in, 1, 1.0});
  pcie_.use(uses, false, c, near ? 0 : 1, near ? 1 : 0);
}

void RankPorts::use_uplinks(Uses& uses, Stream stream, RankClassId c, const CollectiveTiming& timing,
                            int members) const {
  for (const RankClasses::Crossing& crossing : classes_.crossings(stream, c))
    uses.push_back({uplinks_[crossing.uplink], static_cast<std::uint32_t>(crossing.load.count),
                    crossing.load.passes * timing.network_share / (members * payload_share(timing.protocol))});
}

RankPorts::PoolPath RankPorts::pool_path(PoolLink over, bool out, RankClassId c) const {
  const Ports& ports = ports_[c];
  if (over == PoolLink::scale_up)
    return {{{out ? ports.scale_up_out : ports.scale_up_in, 1, 1.0}}, timings_.of(c).inner()};
  if (over != PoolLink::network) return {};
  PoolPath path{{{out ? ports.network_out : ports.network_in, 1, 1.0}},
                timings_.of(c).cluster().network_per_accelerator()};
  pcie_.use(path.uses, out, c, 1, 0);
  return path;
}

}  // namespace clusterwright
