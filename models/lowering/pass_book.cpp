// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/pass_book.hpp"

#include <algorithm>

#include "models/lowering/layer_chains.hpp"

namespace clusterwright {

namespace {

constexpr std::uint32_t tensor_lane = 1;

std::uint32_t lane_of(LayerCollective kind) {
  if (kind == LayerCollective::none) return 0;
  return tensor_lane + static_cast<std::uint32_t>(group_of(kind));
}

/// Ops of a row of recipes, in the order in which the host issues them.
class RowExpander {
 public:
  explicit RowExpander(const RowKind& kind) : kind_(kind), tensor_runs_(kind.tensor_runs) {}

  std::vector<StretchOp> expand(const std::vector<RecipeUse>& recipes) {
    for (const RecipeUse& use : recipes) {
      Stamping a{*use.recipe, use.second, last_kernel_, {}};
      if (!use.beside) {
        while (!a.ended()) stamp_next(a);
        continue;
      }
      Stamping b{*use.beside, use.beside_second, last_kernel_, {}};
      while (!a.ended() || !b.ended()) {
        stamp_until_collective(a);
        stamp_until_collective(b);
      }
    }
    return std::move(ops_);
  }

 private:
  static constexpr std::uint32_t none = ~0u;

  /// A recipe on its way into the row.
  struct Stamping {
    const Recipe& recipe;
    bool second;
    std::uint32_t entry;  ///< last kernel in front
    std::vector<std::uint32_t> ops;
    bool ended() const { return ops.size() == recipe.size(); }
  };

  void stamp_next(Stamping& s) {
    const RecipeOp& op = s.recipe[s.ops.size()];
    StretchOp out{&op, s.second, false, lane_of(op.collective), PassOp::kernel, {}, false};
    if (op.collective == LayerCollective::none)
      last_kernel_ = static_cast<std::uint32_t>(ops_.size());
    else
      place(out);
    // A collective that waits for no op of its own recipe could start any time, and does with the layer.
    if (op.after >= 0)
      out.after.push_back(s.ops[static_cast<std::size_t>(op.after)]);
    else if (op.collective != LayerCollective::none && op.collective != LayerCollective::host)
      s.entry == none ? void(out.after_entry = true) : out.after.push_back(s.entry);
    s.ops.push_back(static_cast<std::uint32_t>(ops_.size()));
    ops_.push_back(std::move(out));
  }

  /// Collectives on the lane of another one that may still run stay outside: only there they wait for it.
  void place(StretchOp& out) {
    const auto known = std::find(pass_collectives.begin(), pass_collectives.end(), out.op->collective);
    out.outside = known == pass_collectives.end() || !kind_.own_tensor || tensor_runs_;
    if (known == pass_collectives.end()) return;
    tensor_runs_ = false;
    out.collective = static_cast<std::uint32_t>(known - pass_collectives.begin());
  }

  void stamp_until_collective(Stamping& s) {
    bool waits = false;
    while (!s.ended() && !waits) {
      const LayerCollective kind = s.recipe[s.ops.size()].collective;
      waits = kind != LayerCollective::none && kind != LayerCollective::host;
      stamp_next(s);
    }
  }

  RowKind kind_;
  bool tensor_runs_;
  std::uint32_t last_kernel_ = none;
  std::vector<StretchOp> ops_;
};

/// Whether the last collective of the tensor group is outside passes, and no kernel behind waits for it.
bool leaves_tensor(const WrittenRow& row, bool ran_before) {
  std::size_t last = row.ops.size();
  while (last > 0 && row.ops[last - 1].lane != tensor_lane) --last;
  if (last == 0) return ran_before;
  --last;
  const auto step = std::find_if(row.steps.begin(), row.steps.end(), [&](const auto& s) { return s.last > last; });
  if (step->is_pass()) return false;
  return std::none_of(row.ops.begin(), row.ops.end(), [&](const StretchOp& op) {
    return op.lane == 0 && std::find(op.after.begin(), op.after.end(), last) != op.after.end();
  });
}

}  // namespace

const WrittenRow& PassBook::row(const std::vector<RecipeUse>& recipes, const RowKind& kind) {
  const auto [entry, fresh] = rows_.try_emplace({recipes, kind});
  WrittenRow& row = entry->second;
  if (!fresh) return row;
  row.ops = RowExpander(kind).expand(recipes);
  row.steps = plan_passes(row.ops);
  for (const PassPlanStep& step : row.steps)
    row.passes.push_back(step.is_pass() ? builder_.add_pass(pass_of(row.ops, step)) : PassId());
  row.tensor_runs = leaves_tensor(row, kind.tensor_runs);
  return row;
}

}  // namespace clusterwright
