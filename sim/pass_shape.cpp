// SPDX-License-Identifier: Apache-2.0
#include "sim/pass_shape.hpp"

#include <algorithm>
#include <stdexcept>

namespace clusterwright {

PassShape::PassShape(const PassTemplate& pass) {
  for (const PassOp& op : pass.ops) {
    ops.push_back({op.work, op.charge, op.lane, op.collective, 0, 0, 0});
    lanes = std::max(lanes, op.lane + 1);
  }
  ops.emplace_back();
  const std::vector<Edge> all = edges(pass);
  for (const Edge& edge : all) ++ops[edge.first + 1].successor_begin;
  for (std::size_t i = 1; i < ops.size(); ++i) ops[i].successor_begin += ops[i - 1].successor_begin;
  successors.resize(all.size());
  std::vector<std::uint32_t> filled(ops.size(), 0);
  for (const auto& [before, after] : all) successors[ops[before].successor_begin + filled[before]++] = after;
  find_gates(all);
}

/// Explicit dependencies first, then order on lanes.
std::vector<PassShape::Edge> PassShape::edges(const PassTemplate& pass) const {
  std::vector<Edge> all = pass.dependencies;
  for (const auto& [before, after] : all)
    if (before >= after || after >= pass.ops.size()) throw std::logic_error("pass: dependencies go forward");
  constexpr std::uint32_t none = ~0u;
  std::vector<std::uint32_t> last(lanes, none);
  for (std::uint32_t i = 0; i < pass.ops.size(); ++i) {
    std::uint32_t& before = last[pass.ops[i].lane];
    if (before != none) all.emplace_back(before, i);
    before = i;
  }
  return all;
}

void PassShape::find_gates(const std::vector<Edge>& edges) {
  std::vector<char> is_kernel;
  for (std::size_t i = 0; i < size(); ++i) is_kernel.push_back(ops[i].is_kernel() ? 1 : 0);
  gates = gates_of(is_kernel, edges);
  if (gates.empty() || gates.front() != 0 || gates.back() + 1 != size())
    throw std::logic_error("pass: an op does not come behind the first kernel and before the last");
  gates.push_back(static_cast<std::uint32_t>(size()));
  std::vector<std::uint32_t> segment(size());
  for (std::size_t s = 0; s + 1 < gates.size(); ++s)
    std::fill(segment.begin() + gates[s], segment.begin() + gates[s + 1], static_cast<std::uint32_t>(s));
  for (const auto& [before, after] : edges)
    if (segment[before] == segment[after])
      ++ops[after].waits;
    else if (segment[before] + 1 == segment[after])
      ++ops[after].waits_at_gate;
}

/// Tries each kernel: all ops behind it must be reached from it, and all before it must reach it.
std::vector<std::uint32_t> gates_of(const std::vector<char>& is_kernel,
                                    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  const std::size_t count = is_kernel.size();
  std::vector<std::vector<std::uint32_t>> before(count), after(count);
  for (const auto& [from, to] : edges) {
    before[to].push_back(from);
    after[from].push_back(to);
  }
  const auto any = [](const std::vector<std::uint32_t>& list, const std::vector<char>& reached) {
    return std::any_of(list.begin(), list.end(), [&](std::uint32_t i) { return reached[i] != 0; });
  };
  std::vector<std::uint32_t> gates;
  for (std::size_t gate = 0; gate < count; ++gate) {
    if (!is_kernel[gate]) continue;
    std::vector<char> downstream(count, 0), upstream(count, 0);
    downstream[gate] = upstream[gate] = 1;
    bool holds = true;
    for (std::size_t i = gate + 1; i < count && holds; ++i)
      holds = (downstream[i] = any(before[i], downstream) ? 1 : 0) != 0;
    for (std::size_t i = gate; i-- > 0 && holds;) holds = (upstream[i] = any(after[i], upstream) ? 1 : 0) != 0;
    if (holds) gates.push_back(static_cast<std::uint32_t>(gate));
  }
  return gates;
}

}  // namespace clusterwright
