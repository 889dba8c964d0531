// SPDX-License-Identifier: Apache-2.0
/// Program of one rank class as it is written: recipes, and ops around them.
#pragma once

#include <vector>

#include "models/lowering/op_writer.hpp"
#include "models/lowering/recipe_stamper.hpp"

namespace clusterwright {

/// Recipes in a row become passes. Whatever others can notice ends the row: an op beside the recipes, a wait, a look at
/// the last kernel. So ask for the last kernel only where something waits for it.
class RankOps {
 public:
  RankOps(OpWriter& writer, RecipeStamper& stamper) : writer_(writer), stamper_(stamper) {}
  RankOps(const RankOps&) = delete;
  RankOps& operator=(const RankOps&) = delete;

  RankClassId rank_class() const { return writer_.rank_class(); }

  /// @param note  micro-batch
  void stamp(const Recipe& recipe, int note) { stamper_.stamp(recipe, note); }
  /// Two recipes by turns: each runs up to and with its next collective, whose wait the other one's kernels hide.
  void stamp_side_by_side(const Recipe& one, int one_note, const Recipe& other, int other_note) {
    stamper_.stamp_side_by_side(one, one_note, other, other_note);
  }

  /// Kernel outside the recipes: it waits for `before`, and stays out of last_kernel().
  OpId kernel_behind(OpId before, WorkId work, StepCharge charge) {
    return written().kernel_behind(before, work, charge);
  }
  /// Op of a communication lane. @param after  op that it waits for; may not exist
  OpId communicate(LaneId lane, WorkId work, StepCharge charge, RendezvousId meeting, OpId after, int note) {
    return written().communicate(lane, work, charge, meeting, after, note);
  }
  void depends(OpId before, OpId after) { writer_.depends(before, after); }

  /// Last kernel of the recipes so far, or the pass that ends with it; may not exist.
  OpId last_kernel() { return written().last_kernel(); }
  /// The next kernel waits for `op`.
  void wait_for(OpId op) { written().wait_for(op); }
  void wait_for(const std::vector<OpId>& ops) {
    for (const OpId op : ops) wait_for(op);
  }
  /// Op of the latest wait_for(). @pre no recipe came since
  OpId last_wait() const { return writer_.last_wait(); }

 private:
  OpWriter& written() {
    stamper_.write();
    return writer_;
  }

  OpWriter& writer_;
  RecipeStamper& stamper_;
};

}  // namespace clusterwright
