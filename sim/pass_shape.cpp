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
  find_like_segments();
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

void PassShape::find_like_segments() {
  for (std::uint32_t segment = 0; segment < segments(); ++segment) {
    std::uint32_t other = 0;
    while (other < segment && (like[other] != other || !alike(other, segment))) ++other;
    like.push_back(other);
  }
}

bool PassShape::alike(std::uint32_t one, std::uint32_t other) const {
  const std::uint32_t distance = gates[other] - gates[one];
  if (gates[other + 1] - gates[one + 1] != distance || (other + 1 == segments()) != (one + 1 == segments()))
    return false;
  for (std::uint32_t i = gates[one]; i < gates[one + 1]; ++i) {
    const Op &a = ops[i], &b = ops[i + distance];
    if (a.work != b.work || a.charge != b.charge || a.lane != b.lane || a.collective != b.collective ||
        a.waits != b.waits || !successors_alike(i, i + distance, distance, gates[one + 1]))
      return false;
  }
  return ops[gates[one + 1]].waits_at_gate == ops[gates[other + 1]].waits_at_gate;
}

/// @param end  next gate: what comes behind it does not matter
bool PassShape::successors_alike(std::uint32_t one, std::uint32_t other, std::uint32_t distance,
                                 std::uint32_t end) const {
  std::uint32_t a = ops[one].successor_begin, b = ops[other].successor_begin;
  const std::uint32_t last_a = ops[one + 1].successor_begin, last_b = ops[other + 1].successor_begin;
  while (true) {
    while (a < last_a && successors[a] > end) ++a;
    while (b < last_b && successors[b] > end + distance) ++b;
    if (a == last_a || b == last_b) return a == last_a && b == last_b;
    if (successors[a++] + distance != successors[b++]) return false;
  }
}

/// Ops behind a gate are all reached from it as soon as each waits for one that is the gate or behind it; ops before it
/// all reach it as soon as each has one waiting for it that is the gate or before it.
std::vector<std::uint32_t> gates_of(const std::vector<char>& is_kernel,
                                    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  const std::size_t count = is_kernel.size();
  constexpr std::uint32_t none = ~0u;
  std::vector<std::uint32_t> latest_before(count, none), earliest_after(count, none);
  for (const auto& [from, to] : edges) {
    if (latest_before[to] == none || latest_before[to] < from) latest_before[to] = from;
    earliest_after[from] = std::min(earliest_after[from], to);
  }
  std::vector<char> reaches(count, 1);  // all ops behind
  for (std::size_t i = count, least = none; i-- > 0;) {
    reaches[i] = least == none || (least != count && least >= i) ? 1 : 0;
    const std::size_t before = latest_before[i] == none ? count : latest_before[i];
    if (before == count)
      least = count;  // nothing in front of `i` reaches it
    else if (least != count)
      least = std::min(least, before);
  }
  std::vector<std::uint32_t> gates;
  std::uint32_t furthest = 0;  // op that those before all reach, at the latest
  for (std::uint32_t i = 0; i < count; ++i) {
    if (is_kernel[i] != 0 && reaches[i] != 0 && furthest <= i) gates.push_back(i);
    furthest = std::max(furthest, earliest_after[i]);
  }
  return gates;
}

}  // namespace clusterwright
