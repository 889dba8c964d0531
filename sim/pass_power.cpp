// SPDX-License-Identifier: Apache-2.0
#include "sim/pass_power.hpp"

#include <algorithm>

namespace clusterwright {

PassPower PassPowers::of(OpId op, std::span<const Microwatts> running) {
  const PassTrace trace = traces_.of(op);
  const PassId pass = structure_.op_pass[op];
  if (!trace.shared) return {trace.from, std::make_shared<const Points>(points_of(trace, pass, running))};
  std::shared_ptr<const Points>& known = shared_[{trace.ops.data(), running.data()}];
  if (!known) known = std::make_shared<const Points>(points_of(trace, pass, running));
  return {trace.from, known};
}

PassPowers::Points PassPowers::points_of(const PassTrace& trace, PassId pass,
                                         std::span<const Microwatts> running) const {
  Points changes;  // by how much
  changes.reserve(2 * trace.ops.size());
  for (std::size_t place = 0; place < trace.ops.size(); ++place) {
    const PassOp& op = structure_.passes[pass].ops[place];
    const auto& times = trace.ops[place];
    Microwatts power = running[op.work.value];
    if (op.collective == PassOp::kernel) power = slowed_power(power, times.unshared, times.end - times.start);
    changes.push_back({times.start, power});
    changes.push_back({times.end, -power});
  }
  std::sort(changes.begin(), changes.end(),
            [](const PassPower::Point& a, const PassPower::Point& b) { return a.at < b.at; });
  Points points;
  Microwatts power = 0;
  for (std::size_t i = 0; i < changes.size();) {
    const Picoseconds at = changes[i].at;
    for (; i < changes.size() && changes[i].at == at; ++i) power += changes[i].power;
    if (points.empty() || (power != points.back().power && i < changes.size())) points.push_back({at, power});
  }
  return points;
}

}  // namespace clusterwright
