// SPDX-License-Identifier: Apache-2.0
#include "topology/nodes/node_links.hpp"

#include <algorithm>
#include <stdexcept>

#include "topology/nodes/torus_block.hpp"

namespace clusterwright {

int NodeLinks::reach() const {
  return std::max(wiring_.domain, wiring_.pcie.accelerators);
}

void NodeLinks::check_members(int members) const {
  if (members < 1 || members > reach()) throw std::invalid_argument("a group that the node does not hold");
}

NodeLinks::LinkClass NodeLinks::inner(int members) const {
  check_members(members);
  if (members > wiring_.domain) return LinkClass::pcie;
  switch (wiring_.scale_up) {
    case ScaleUpWiring::switched:
      return LinkClass::switched;
    case ScaleUpWiring::mesh:
      return LinkClass::mesh;
    case ScaleUpWiring::torus:
      return LinkClass::torus;
    default:
      return LinkClass::pcie;
  }
}

BytesPerSecond NodeLinks::ring_bandwidth(int members) const {
  const LinkClass links = inner(members);
  if (members == 1) return links == LinkClass::pcie ? wiring_.pcie.slot : wiring_.scale_up_rate;
  switch (links) {
    case LinkClass::switched:
      return wiring_.scale_up_rate;
    case LinkClass::mesh:
      return wiring_.peer_rate * (members - 1);
    case LinkClass::torus:
      return wiring_.peer_rate * torus_ring_links(wiring_.torus, members);
    default:
      return hybrid_ring(members);
  }
}

int NodeLinks::inner_steps(int members) const {
  return inner(members) == LinkClass::torus ? torus_hops(wiring_.torus, members) : members - 1;
}

BytesPerSecond NodeLinks::exchange_bandwidth(int members) const {
  const LinkClass links = inner(members);
  if (members == 1) return ring_bandwidth(1);
  switch (links) {
    case LinkClass::switched:
      return wiring_.scale_up_rate;
    case LinkClass::mesh:
      return wiring_.peer_rate * (members - 1);
    case LinkClass::torus:
      return wiring_.peer_rate * (members - 1) / torus_exchange_load(wiring_.torus, members);
    default:
      return hybrid_exchange(members);
  }
}

/// Every edge of a ring carries equally many bytes.
BytesPerSecond NodeLinks::hybrid_ring(int members) const {
  std::vector<PcieTree::Flow> flows;
  bool scale_up = false;
  for (int a = 0; a < members; ++a) {
    const int b = (a + 1) % members;
    if (same_domain(a, b))
      scale_up = true;
    else
      flows.push_back({pcie_.accelerator(a), pcie_.accelerator(b)});
  }
  const BytesPerSecond pcie = pcie_.rate(flows);
  return scale_up ? std::min(pcie, pair_bandwidth(0, 1)) : pcie;
}

BytesPerSecond NodeLinks::hybrid_exchange(int members) const {
  const double share = 1.0 / (members - 1);  // share of one sender's bytes to each of the others
  std::vector<PcieTree::Flow> flows;
  for (int a = 0; a < members; ++a)
    for (int b = 0; b < members; ++b)
      if (!same_domain(a, b)) flows.push_back({pcie_.accelerator(a), pcie_.accelerator(b), share});
  const BytesPerSecond pcie = pcie_.rate(flows);
  if (wiring_.domain == 1) return pcie;
  return std::min(pcie, exchange_bandwidth(wiring_.domain) / (share * (wiring_.domain - 1)));
}

BytesPerSecond NodeLinks::pair_bandwidth(int a, int b) const {
  if (a < 0 || b < 0 || a == b) throw std::invalid_argument("a pair of two accelerators is needed");
  check_members(std::max(a, b) + 1);
  if (same_domain(a, b)) return wiring_.scale_up == ScaleUpWiring::switched ? wiring_.scale_up_rate : wiring_.peer_rate;
  const PcieTree::Flow flow{pcie_.accelerator(a), pcie_.accelerator(b)};
  return pcie_.rate({&flow, 1});
}

PcieDistance NodeLinks::pcie_distance(int a, int b) const {
  if (std::min(a, b) < 0 || std::max(a, b) >= wiring_.pcie.accelerators)
    throw std::invalid_argument("accelerators of one node are needed");
  return pcie_.distance(a, b);
}

BytesPerSecond NodeLinks::network_bandwidth(int members) const {
  check_members(members);
  if (wiring_.pcie.nics == 0) return {};
  std::vector<PcieTree::Flow> flows;
  for (int a = 0; a < std::min(members, wiring_.pcie.accelerators); ++a) {
    const PcieTree::NicRange nics = pcie_.nics_of(a);
    for (int j = 0; j < nics.count; ++j)
      flows.push_back({pcie_.accelerator(a), pcie_.nic(nics.first + j), 1.0 / nics.count});
  }
  return pcie_.rate(flows);
}

int NodeLinks::nic_of(int accelerator) const {
  if (wiring_.pcie.nics == 0) throw std::invalid_argument("the node has no NIC");
  if (accelerator < 0 || accelerator >= wiring_.pcie.accelerators)
    throw std::invalid_argument("an accelerator of the node is needed");
  return pcie_.nics_of(accelerator).first;
}

}  // namespace clusterwright
