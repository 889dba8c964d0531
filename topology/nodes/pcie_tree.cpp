// SPDX-License-Identifier: Apache-2.0
#include "topology/nodes/pcie_tree.hpp"

#include <algorithm>
#include <stdexcept>

namespace clusterwright {

PcieTree::PcieTree(const PcieShape& shape) : shape_(shape) {
  const auto accelerators = static_cast<std::size_t>(shape.accelerators), nics = static_cast<std::size_t>(shape.nics);
  parent_.assign(accelerators + nics, none);
  capacity_.assign(accelerators, shape.slot);
  capacity_.resize(accelerators + nics, shape.nic_rate);
  first_bridge_ = static_cast<Vertex>(parent_.size());
  for (int s = 0; s < shape.sockets; ++s) add(none, {});
  Vertex last_switch = none;
  int on_switch = 0;
  for (int a = 0; a < shape.accelerators; ++a) {
    const Vertex bridge = first_bridge_ + socket_of(a);
    const bool new_socket = a == 0 || socket_of(a) != socket_of(a - 1);
    if (shape.accelerators_per_switch > 0 && (new_socket || on_switch == shape.accelerators_per_switch)) {
      last_switch = add(bridge, shape.uplink);
      on_switch = 0;
    }
    ++on_switch;
    parent_[static_cast<std::size_t>(a)] = shape.accelerators_per_switch > 0 ? last_switch : bridge;
  }
  for (int j = 0; j < shape.nics; ++j) attach_nic(j);
}

int PcieTree::socket_of(int accelerator) const {
  const int block = (shape_.accelerators + shape_.sockets - 1) / shape_.sockets;
  return accelerator / std::max(1, block);
}

PcieTree::Vertex PcieTree::add(Vertex parent, BytesPerSecond capacity) {
  parent_.push_back(parent);
  capacity_.push_back(capacity);
  return static_cast<Vertex>(parent_.size() - 1);
}

void PcieTree::attach_nic(int j) {
  int home = 0;
  while (nics_of(home).first + nics_of(home).count <= j) ++home;
  Vertex& parent = parent_[static_cast<std::size_t>(nic(j))];
  if (shape_.nic_attachment == NicAttachment::accelerator)
    parent = accelerator(home);
  else if (shape_.nic_attachment == NicAttachment::host_bridge)
    parent = first_bridge_ + socket_of(home);
  else
    parent = parent_[static_cast<std::size_t>(home)];
}

PcieTree::NicRange PcieTree::nics_of(int a) const {
  const auto begin = [&](int i) {
    return static_cast<int>(static_cast<long long>(i) * shape_.nics / shape_.accelerators);
  };
  if (shape_.nics < shape_.accelerators) return {begin(a), std::min(1, shape_.nics)};
  return {begin(a), begin(a + 1) - begin(a)};
}

PcieDistance PcieTree::distance(int a, int b) const {
  if (a == b) return PcieDistance::same;
  if (socket_of(a) != socket_of(b)) return PcieDistance::across_sockets;
  const Vertex pa = parent_.at(static_cast<std::size_t>(a)), pb = parent_.at(static_cast<std::size_t>(b));
  return pa == pb && shape_.accelerators_per_switch > 0 ? PcieDistance::same_switch : PcieDistance::same_socket;
}

std::vector<PcieTree::Vertex> PcieTree::ancestors(Vertex v) const {
  std::vector<Vertex> chain = {v};
  while (parent_[static_cast<std::size_t>(chain.back())] != none)
    chain.push_back(parent_[static_cast<std::size_t>(chain.back())]);
  return chain;
}

std::size_t PcieTree::between(Vertex from_bridge, Vertex to_bridge) const {
  return 2 * parent_.size() +
         static_cast<std::size_t>((from_bridge - first_bridge_) * shape_.sockets + (to_bridge - first_bridge_));
}

BytesPerSecond PcieTree::capacity(std::size_t link) const {
  return link < 2 * parent_.size() ? capacity_[link / 2] : shape_.between_sockets;
}

/// Turns round at the lowest common vertex, or at the host bridge where accelerators may not talk to each other.
std::vector<std::size_t> PcieTree::path(Vertex from, Vertex to) const {
  const std::vector<Vertex> rise = ancestors(from), fall = ancestors(to);
  std::size_t i = rise.size() - 1, j = fall.size() - 1;  // where the way turns round
  const bool one_bridge = rise.back() == fall.back();
  if (one_bridge)
    while (i > 0 && j > 0 && rise[i - 1] == fall[j - 1]) --i, --j;
  if (one_bridge && !shape_.peer_to_peer && i > 0 && j > 0) i = rise.size() - 1, j = fall.size() - 1;
  std::vector<std::size_t> links;
  for (std::size_t k = 0; k < i; ++k) links.push_back(up(rise[k]));
  if (!one_bridge) links.push_back(between(rise.back(), fall.back()));
  for (std::size_t k = j; k > 0; --k) links.push_back(down(fall[k - 1]));
  return links;
}

BytesPerSecond PcieTree::rate(std::span<const Flow> flows) const {
  const auto sockets = static_cast<std::size_t>(shape_.sockets);
  std::vector<double> load(2 * parent_.size() + sockets * sockets, 0.0);
  for (const Flow& flow : flows)
    for (const std::size_t link : path(flow.from, flow.to)) load[link] += flow.amount;
  BytesPerSecond least;
  bool found = false;
  for (std::size_t link = 0; link < load.size(); ++link) {
    if (load[link] <= 0) continue;
    const BytesPerSecond share = capacity(link) / load[link];
    least = found ? std::min(least, share) : share;
    found = true;
  }
  if (!found) throw std::invalid_argument("no flow crosses a link");
  return least;
}

}  // namespace clusterwright
