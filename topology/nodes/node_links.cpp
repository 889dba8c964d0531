// SPDX-License-Identifier: Apache-2.0
#include "topology/nodes/node_links.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "topology/nodes/torus_block.hpp"

namespace clusterwright {

DomainPlaces first_places(int members) {
  DomainPlaces places(1);
  for (int place = 0; place < members; ++place) places.front().push_back(place);
  return places;
}

int NodeLinks::reach() const {
  return std::max(wiring_.domain, wiring_.pcie.accelerators);
}

void NodeLinks::check_members(int members) const {
  if (members < 1 || members > reach()) throw std::invalid_argument("a group that the node does not hold");
}

void NodeLinks::check_places(const DomainPlaces& places) const {
  if (places.empty()) throw std::invalid_argument("a group that the node does not hold");
  for (const std::vector<int>& group : places) {
    check_members(static_cast<int>(group.size()));
    for (const int place : group)
      if (place < 0 || place >= reach()) throw std::invalid_argument("a group that the node does not hold");
  }
}

NodeLinks::LinkClass NodeLinks::scale_up() const {
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

NodeLinks::LinkClass NodeLinks::inner(int members) const {
  check_members(members);
  return members > wiring_.domain ? LinkClass::pcie : scale_up();
}

NodeLinks::LinkClass NodeLinks::inner(const DomainPlaces& places) const {
  check_places(places);
  const std::vector<int>& group = places.front();
  const bool together = std::ranges::all_of(group, [&](int place) { return same_domain(place, group.front()); });
  return together ? scale_up() : LinkClass::pcie;
}

BytesPerSecond NodeLinks::ring_bandwidth(int members) const {
  const LinkClass links = inner(members);
  return links == LinkClass::pcie && members > 1 ? hybrid_ring(first_places(members)) : ring_over(links, members);
}

BytesPerSecond NodeLinks::ring_bandwidth(const DomainPlaces& places) const {
  const LinkClass links = inner(places);
  const auto members = static_cast<int>(places.front().size());
  return links == LinkClass::pcie && members > 1 ? hybrid_ring(places) : ring_over(links, members);
}

BytesPerSecond NodeLinks::ring_over(LinkClass links, int members) const {
  if (members == 1) return links == LinkClass::pcie ? wiring_.pcie.slot : wiring_.scale_up_rate;
  if (links == LinkClass::mesh) return wiring_.peer_rate * (members - 1);
  if (links == LinkClass::torus) return wiring_.peer_rate * torus_ring_links(wiring_.torus, members);
  return wiring_.scale_up_rate;
}

int NodeLinks::inner_steps(int members) const {
  return inner(members) == LinkClass::torus ? torus_hops(wiring_.torus, members) : members - 1;
}

BytesPerSecond NodeLinks::exchange_bandwidth(int members) const {
  const LinkClass links = inner(members);
  return links == LinkClass::pcie && members > 1 ? hybrid_exchange(first_places(members))
                                                 : exchange_over(links, members);
}

BytesPerSecond NodeLinks::exchange_bandwidth(const DomainPlaces& places) const {
  const LinkClass links = inner(places);
  const auto members = static_cast<int>(places.front().size());
  return links == LinkClass::pcie && members > 1 ? hybrid_exchange(places) : exchange_over(links, members);
}

BytesPerSecond NodeLinks::exchange_over(LinkClass links, int members) const {
  if (links != LinkClass::torus || members == 1) return ring_over(links, members);
  return wiring_.peer_rate * (members - 1) / torus_exchange_load(wiring_.torus, members);
}

/// Every edge of a ring carries equally many bytes.
BytesPerSecond NodeLinks::hybrid_ring(const DomainPlaces& places) const {
  std::vector<PcieTree::Flow> flows;
  bool scale_up = false;
  for (const std::vector<int>& group : places)
    for (std::size_t i = 0; i < group.size(); ++i) {
      const int a = group[i], b = group[(i + 1) % group.size()];
      if (a == b) continue;
      if (!same_domain(a, b))
        flows.push_back({pcie_.accelerator(a), pcie_.accelerator(b)});
      else if (&group == &places.front())
        scale_up = true;
    }
  const BytesPerSecond pcie = pcie_.rate(flows);
  return scale_up ? std::min(pcie, pair_bandwidth(0, 1)) : pcie;
}

BytesPerSecond NodeLinks::hybrid_exchange(const DomainPlaces& places) const {
  const double share = 1.0 / (static_cast<double>(places.front().size()) - 1);  // of a sender's bytes to each other one
  std::vector<PcieTree::Flow> flows;
  int bridged = 0;  // partners of the first member behind scale-up links
  for (const std::vector<int>& group : places)
    for (const int a : group)
      for (const int b : group)
        if (!same_domain(a, b))
          flows.push_back({pcie_.accelerator(a), pcie_.accelerator(b), share});
        else if (a == places.front().front() && a != b)
          ++bridged;
  const BytesPerSecond pcie = pcie_.rate(flows);
  if (bridged == 0) return pcie;
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
