// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/rank_shapes.hpp"

#include <algorithm>

namespace clusterwright {

namespace {

/// Frameworks that split the vocabulary pad each part to whole tiles first.
std::int64_t padded_share(std::int64_t vocabulary, int ranks) {
  constexpr std::int64_t tile = 128;
  return (vocabulary + tile * ranks - 1) / (tile * ranks) * tile;
}

}  // namespace

RankShapes::RankShapes(const PlannedJob& planned)
    : element(activation_size(planned.precision)),
      adds_in_multiply(planned.stack.kernels.residual == ResidualSum::in_multiply && planned.plan.tensor == 1 &&
                       !planned.model.experts),
      residual_split_(planned.plan.sequence_parallel ? planned.plan.tensor : 1) {
  const auto share = [&](std::int64_t width) { return (width + planned.plan.tensor - 1) / planned.plan.tensor; };
  tokens = static_cast<std::int64_t>(planned.sequence) * planned.plan.micro_batch / planned.plan.context;
  hidden = planned.model.hidden;
  query = share(planned.model.query_width());
  // Fewer key-value heads than ranks: each rank keeps a copy of one.
  key_value = std::max(share(planned.model.key_value_width()), planned.model.width_of_head());
  value =
      std::max(share(planned.model.key_value_heads() * planned.model.width_of_value()), planned.model.width_of_value());
  attended = share(planned.model.attention_output_width());
  ffn = share(planned.model.ffn);
  up = ffn * (planned.model.gated_mlp ? 2 : 1);
  vocabulary =
      planned.plan.tensor > 1 ? padded_share(planned.model.vocabulary, planned.plan.tensor) : planned.model.vocabulary;
  const bool parallel = planned.plan.tensor > 1;
  before = parallel && planned.plan.sequence_parallel ? LayerCollective::gather : LayerCollective::none;
  behind = !parallel                        ? LayerCollective::none
           : planned.plan.sequence_parallel ? LayerCollective::scatter
                                            : LayerCollective::reduce;
}

Bytes RankShapes::residual(double widths) const {
  return static_cast<double>(tokens * hidden) * widths * element / residual_split_ * byte;
}

Bytes RankShapes::split(std::int64_t width, double tensors) const {
  return static_cast<double>(tokens * width) * tensors * element * byte;
}

}  // namespace clusterwright
