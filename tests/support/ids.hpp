// SPDX-License-Identifier: Apache-2.0
/// Ids as tests write them: 3_v is vertex 3, 5_acc accelerator 5; accelerators({0, 8}) is a list of two.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "topology/graph/network_graph.hpp"
#include "topology/nodes/node_id.hpp"

namespace clusterwright::testing {

constexpr VertexId operator""_v(unsigned long long number) {
  return VertexId(number);
}
constexpr LinkId operator""_link(unsigned long long number) {
  return LinkId(number);
}
constexpr NodeId operator""_node(unsigned long long number) {
  return NodeId(number);
}
constexpr AcceleratorId operator""_acc(unsigned long long number) {
  return AcceleratorId(number);
}

template <class IdType>
std::vector<IdType> ids(std::initializer_list<std::size_t> numbers) {
  std::vector<IdType> out;
  for (const std::size_t number : numbers) out.push_back(IdType(number));
  return out;
}
inline std::vector<VertexId> vertices(std::initializer_list<std::size_t> numbers) {
  return ids<VertexId>(numbers);
}
inline std::vector<NodeId> nodes(std::initializer_list<std::size_t> numbers) {
  return ids<NodeId>(numbers);
}
inline std::vector<AcceleratorId> accelerators(std::initializer_list<std::size_t> numbers) {
  return ids<AcceleratorId>(numbers);
}

}  // namespace clusterwright::testing
