// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/traffic_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "models/kernels/collectives/inner_curve.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

TrafficBuilder::TrafficBuilder(CollectiveOp op, Algorithm algorithm, const Communicator& group,
                               const TrafficContext& context)
    : op_(op), algorithm_(algorithm), group_(group), context_(context), domains_(by_domain(group, context.cluster)) {}

std::size_t TrafficBuilder::channels() const {
  std::size_t fewest = group_.size();
  for (const DomainShare& domain : domains_) fewest = std::min(fewest, domain.members.size());
  return fewest;
}

double TrafficBuilder::counted() const {
  if (op_ != CollectiveOp::all_to_all) return ring_wire(op_, 1 * byte, static_cast<int>(group_.size())).in(byte);
  const auto members = static_cast<double>(group_.size() / domains_.size());
  return (ranks() - members) / ranks();
}

TrafficBuilder::Ports TrafficBuilder::ports(AcceleratorId accelerator) const {
  const AcceleratorPlace place = place_of(accelerator, context_.cluster);
  const NodeLinks& links = context_.cluster.group_of_node(place.node).links;
  const int first = links.nic_of(place.position);
  // Where there are more NICs than accelerators, one has those up to the next one's first.
  const PcieShape& node = links.wiring().pcie;
  const int next = place.position + 1 < node.accelerators ? links.nic_of(place.position + 1) : node.nics;
  return {place.node, first, std::max(1, next - first)};
}

VertexId TrafficBuilder::endpoint(const Ports& ports, int lane) const {
  const int nic = ports.first + lane % ports.count;
  if (nic >= context_.graph.rails()) throw std::invalid_argument("a NIC that the network does not have");
  return context_.graph.endpoint(ports.node, nic);
}

bool TrafficBuilder::same_domain(AcceleratorId a, AcceleratorId b) const {
  return place_of(a, context_.cluster).domain == place_of(b, context_.cluster).domain;
}

bool TrafficBuilder::separate_rails() const {
  const FabricSpec& fabric = context_.cluster.spec.fabric;
  return fabric.kind == FabricKind::fat_tree && fabric.rails == RailLayout::planes;
}

void TrafficBuilder::add_flow(TrafficStage& stage, AcceleratorId from, AcceleratorId to, double bytes) const {
  if (same_domain(from, to)) return;
  const Ports in = ports(to);
  Ports out = ports(from);
  if (separate_rails()) out.first = in.first, out.count = in.count;
  const int lanes = std::max(out.count, in.count);
  for (int lane = 0; lane < lanes; ++lane)
    stage.demands.push_back({endpoint(out, lane), endpoint(in, lane), bytes / lanes});
}

void TrafficBuilder::add_edge(TrafficStage& stage, std::size_t from, std::size_t to, double bytes) const {
  const std::vector<AcceleratorId>& out = domains_[from].members;
  const std::vector<AcceleratorId>& in = domains_[to].members;
  const std::size_t shared = std::min(out.size(), in.size());
  for (std::size_t c = 0; c < shared; ++c) add_flow(stage, out[c], in[c], bytes / static_cast<double>(shared));
}

void TrafficBuilder::refuse(const std::string& why) const {
  throw ConfigError(Diagnostic{
      "E0332", fmt::format("{} cannot run here: {}", name_of(algorithm_), why), {}, {}, "choose another algorithm"});
}

void gather(std::vector<Demand>& demands) {
  std::stable_sort(demands.begin(), demands.end(),
                   [](const Demand& a, const Demand& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
  std::size_t kept = 0;
  for (const Demand& demand : demands) {
    if (kept > 0 && demands[kept - 1].from == demand.from && demands[kept - 1].to == demand.to)
      demands[kept - 1].bytes += demand.bytes;
    else
      demands[kept++] = demand;
  }
  demands.resize(kept);
}

}  // namespace clusterwright
