// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/split_recipe.hpp"

namespace clusterwright {

namespace {

/// Numbers of the ops of a recipe in their part of it; -1 for those of the other part.
class PartWriter {
 public:
  PartWriter(const Recipe& whole, bool weight, bool overlap)
      : whole_(whole), weight_(weight), overlap_(overlap), number_(whole.size(), -1) {}

  Recipe write() {
    for (std::size_t i = 0; i < whole_.size(); ++i) {
      if (whole_[i].for_weights != weight_) continue;
      number_[i] = static_cast<int>(part_.size());
      add(whole_[i]);
    }
    return std::move(part_);
  }

 private:
  void add(RecipeOp op) {
    const bool gather = op.collective != LayerCollective::none;
    if (weight_ && gather)
      op.after = overlap_ ? previous_ : last_;
    else if (op.after >= 0)
      op.after = number_[static_cast<std::size_t>(op.after)];
    part_.push_back(op);
    if (!gather) {
      previous_ = last_;
      last_ = static_cast<int>(part_.size()) - 1;
    }
  }

  const Recipe& whole_;
  bool weight_, overlap_;
  std::vector<int> number_;
  Recipe part_;
  int last_ = -1, previous_ = -1;  // kernels
};

}  // namespace

SplitRecipe split_backward(const Recipe& whole, bool overlap) {
  return {PartWriter(whole, false, overlap).write(), PartWriter(whole, true, overlap).write()};
}

}  // namespace clusterwright
