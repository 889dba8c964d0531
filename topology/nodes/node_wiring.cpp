// SPDX-License-Identifier: Apache-2.0
#include "topology/nodes/node_wiring.hpp"

#include <algorithm>

namespace clusterwright {

namespace {

template <class T>
T value_of(const std::optional<Sourced<T>>& fact, T fallback) {
  return fact ? fact->value : fallback;
}

ScaleUpWiring wiring_of(const NodeSpec& node, const AcceleratorPart& accelerator) {
  if (node.scale_up) return *node.scale_up;
  if (accelerator.scale_up) return accelerator.scale_up->value;
  if (!accelerator.scale_up_bandwidth) return ScaleUpWiring::none;
  return accelerator.peer_bandwidth ? ScaleUpWiring::mesh : ScaleUpWiring::switched;
}

int domain_of(const NodeSpec& node, const AcceleratorPart& accelerator) {
  if (node.scale_up_domain) return *node.scale_up_domain;
  const int in_node = node_accelerators(node);
  const int own = value_of(accelerator.scale_up_domain, in_node);
  return value_of(accelerator.scale_up_beyond_node, false) ? own : std::min(own, in_node);
}

/// Where no rate of one link is stated, the links of a torus share evenly, and so do the neighbours in a mesh.
BytesPerSecond peer_rate(const NodeSpec& node, const NodeWiring& wiring, const AcceleratorPart& accelerator) {
  if (!node.scale_up_rate && accelerator.peer_bandwidth) return accelerator.peer_bandwidth->value;
  int links = std::max(1, wiring.domain - 1);
  if (wiring.scale_up == ScaleUpWiring::torus)
    links = value_of(accelerator.scale_up_links, 2 * static_cast<int>(wiring.torus.size()));
  return wiring.scale_up_rate / links;
}

PcieShape pcie_of(const NodeSpec& node, const AcceleratorPart& accelerator, BytesPerSecond nic_rate) {
  PcieShape shape;
  shape.accelerators = node_accelerators(node);
  shape.accelerators_per_switch = node.pcie.accelerators_per_switch.value_or(usual_accelerators_per_pcie_switch);
  shape.sockets = std::min(node.pcie.sockets.value_or(usual_sockets), shape.accelerators);
  shape.nics = node_nics(node);
  shape.nic_attachment = node.pcie.nics.value_or(NicAttachment::pcie_switch);
  shape.peer_to_peer = node.pcie.peer_to_peer.value_or(true);
  shape.slot = accelerator_slot(node, accelerator);
  shape.uplink = node.pcie.uplink.value_or(shape.slot);
  shape.between_sockets =
      value_of(node.pcie.between_sockets, usual_gigabytes_per_second_between_sockets * gigabyte_per_second);
  shape.nic_rate = nic_rate;
  return shape;
}

}  // namespace

int node_accelerators(const NodeSpec& node) {
  return node.accelerators.value_or(usual_accelerators_per_node);
}

int node_nics(const NodeSpec& node) {
  return node.nics.value_or(usual_nics_per_node);
}

BytesPerSecond nic_rate(const NodeSpec& node, const Catalog& catalog) {
  if (node_nics(node) == 0) return {};
  if (node.nic_rate) return *node.nic_rate;
  const NicPart* nic = catalog.find_nic(node.nic);
  return nic ? nic->rate.value : BytesPerSecond{};
}

BytesPerSecond accelerator_slot(const NodeSpec& node, const AcceleratorPart& accelerator) {
  const BytesPerSecond own = value_of(accelerator.host_bandwidth, BytesPerSecond{});
  if (!node.pcie.link) return own;
  return own > BytesPerSecond{} ? std::min(own, *node.pcie.link) : *node.pcie.link;
}

NodeWiring wire_node(const NodeSpec& node, const AcceleratorPart& accelerator, BytesPerSecond nic_rate) {
  NodeWiring wiring;
  wiring.scale_up = wiring_of(node, accelerator);
  wiring.pcie = pcie_of(node, accelerator, nic_rate);
  if (wiring.scale_up == ScaleUpWiring::none) return wiring;
  wiring.domain = domain_of(node, accelerator);
  wiring.scale_up_rate = node.scale_up_rate.value_or(value_of(accelerator.scale_up_bandwidth, BytesPerSecond{}));
  if (wiring.scale_up == ScaleUpWiring::torus)
    wiring.torus = node.scale_up_torus.empty() ? std::vector<int>{wiring.domain} : node.scale_up_torus;
  if (wiring.scale_up != ScaleUpWiring::switched) wiring.peer_rate = peer_rate(node, wiring, accelerator);
  return wiring;
}

}  // namespace clusterwright
