// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/pass_plan.hpp"

#include <algorithm>

#include "sim/pass_shape.hpp"

namespace clusterwright {

namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

/// Cuts a stretch in two steps: into ranges that no op outside looks into, and these into their passes and the ops
/// around them.
class PassPlanner {
 public:
  explicit PassPlanner(const std::vector<StretchOp>& stretch)
      : stretch_(stretch), cut_(stretch.size() + 1, 0), step_of_(stretch.size()) {
    cut_.front() = cut_.back() = 1;
    find_edges();
  }

  std::vector<PassPlanStep> plan() {
    for (std::uint32_t i = 0; i < size(); ++i) {
      if (stretch_[i].outside) cut_[i] = cut_[i + 1] = 1;
      if (stretch_[i].after_entry) cut_[i] = 1;
    }
    while (cut_at_crossings()) {
    }
    const auto inside = edges_by_range();
    for (std::uint32_t begin = 0, range = 0; begin < size(); ++range) {
      std::uint32_t end = begin + 1;
      while (cut_[end] == 0) ++end;
      add_range(begin, end, inside[range]);
      begin = end;
    }
    join_steps();
    return std::move(steps_);
  }

 private:
  std::uint32_t size() const { return static_cast<std::uint32_t>(stretch_.size()); }

  /// Explicit dependencies, and order on all lanes but the compute lane, where steps stay in order anyway.
  void find_edges() {
    std::vector<std::uint32_t> last;
    for (std::uint32_t i = 0; i < size(); ++i) {
      for (const std::uint32_t before : stretch_[i].after) edges_.emplace_back(before, i);
      const std::uint32_t lane = stretch_[i].lane;
      if (lane == 0) continue;
      if (last.size() <= lane) last.resize(lane + 1, none);
      if (last[lane] != none) edges_.emplace_back(last[lane], i);
      last[lane] = i;
    }
  }

  /// Number of the range of each op.
  std::vector<std::uint32_t> ranges() const {
    std::vector<std::uint32_t> range(size());
    for (std::uint32_t i = 1; i < size(); ++i) range[i] = range[i - 1] + (cut_[i] != 0 ? 1 : 0);
    return range;
  }

  std::vector<std::vector<Edge>> edges_by_range() const {
    const std::vector<std::uint32_t> range = ranges();
    std::vector<std::vector<Edge>> inside(range.empty() ? 0 : range.back() + 1);
    for (const Edge& edge : edges_)
      if (range[edge.first] == range[edge.second]) inside[range[edge.first]].push_back(edge);
    return inside;
  }

  /// An edge from one range to another leaves from the end of the first and leads to the begin of the second.
  bool cut_at_crossings() {
    const std::vector<std::uint32_t> range = ranges();
    bool changed = false;
    for (const auto& [before, after] : edges_) {
      if (range[before] == range[after]) continue;
      changed = changed || cut_[before + 1] == 0 || cut_[after] == 0;
      cut_[before + 1] = cut_[after] = 1;
    }
    return changed;
  }

  /// The pass from the first gate to the last one; what comes before and behind stands for itself.
  void add_range(std::uint32_t begin, std::uint32_t end, const std::vector<Edge>& inside) {
    std::vector<char> is_kernel;
    std::vector<Edge> edges;
    std::uint32_t last_kernel = none;
    for (std::uint32_t i = begin; i < end; ++i) {
      is_kernel.push_back(stretch_[i].lane == 0 && !stretch_[i].outside ? 1 : 0);
      if (is_kernel.back() == 0) continue;
      if (last_kernel != none) edges.emplace_back(last_kernel - begin, i - begin);
      last_kernel = i;
    }
    for (const auto& [before, after] : inside) edges.emplace_back(before - begin, after - begin);
    const std::vector<std::uint32_t> gates = gates_of(is_kernel, edges);
    const std::uint32_t first = gates.empty() ? end : begin + gates.front();
    const std::uint32_t behind = gates.empty() ? end : begin + gates.back() + 1;
    for (std::uint32_t i = begin; i < first; ++i) add_step(i, i + 1);
    if (first < end) add_step(first, behind);
    for (std::uint32_t i = behind; i < end; ++i) add_step(i, i + 1);
  }

  void add_step(std::uint32_t first, std::uint32_t last) {
    std::fill(step_of_.begin() + first, step_of_.begin() + last, static_cast<std::uint32_t>(steps_.size()));
    steps_.push_back({first, last, false, {}});
  }

  void join_steps() {
    for (std::uint32_t i = 0; i < size(); ++i) {
      PassPlanStep& step = steps_[step_of_[i]];
      step.after_entry = step.after_entry || stretch_[i].after_entry;
      for (const std::uint32_t before : stretch_[i].after) {
        const std::uint32_t other = step_of_[before];
        const bool known = std::find(step.after.begin(), step.after.end(), other) != step.after.end();
        if (other != step_of_[i] && !known) step.after.push_back(other);
      }
    }
  }

  static constexpr std::uint32_t none = ~0u;

  const std::vector<StretchOp>& stretch_;
  std::vector<char> cut_;  // in front of each op, and behind the last
  std::vector<std::uint32_t> step_of_;
  std::vector<Edge> edges_;
  std::vector<PassPlanStep> steps_;
};

}  // namespace

std::vector<PassPlanStep> plan_passes(const std::vector<StretchOp>& stretch) {
  return PassPlanner(stretch).plan();
}

PassTemplate pass_of(const std::vector<StretchOp>& stretch, const PassPlanStep& step) {
  PassTemplate pass;
  for (std::uint32_t i = step.first; i < step.last; ++i) {
    const StretchOp& op = stretch[i];
    pass.ops.push_back({op.op->work, charge_id(op.op->charge), op.lane, op.collective, op.second});
    for (const std::uint32_t before : op.after)
      if (before >= step.first) pass.dependencies.emplace_back(before - step.first, i - step.first);
  }
  return pass;
}

}  // namespace clusterwright
