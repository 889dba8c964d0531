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

RankShapes::RankShapes(const MemoryCase& c)
    : element(activation_size(c.precision)),
      adds_in_multiply(c.stack.kernels.residual == ResidualSum::in_multiply && c.plan.tensor == 1 && !c.model.experts),
      residual_split_(c.plan.sequence_parallel ? c.plan.tensor : 1) {
  const auto share = [&](std::int64_t width) { return (width + c.plan.tensor - 1) / c.plan.tensor; };
  tokens = static_cast<std::int64_t>(c.sequence) * c.plan.micro_batch / c.plan.context;
  hidden = c.model.hidden;
  query = share(c.model.query_width());
  // Fewer key-value heads than ranks: each rank keeps a copy of one.
  key_value = std::max(share(c.model.key_value_width()), c.model.width_of_head());
  value = std::max(share(c.model.key_value_heads() * c.model.width_of_value()), c.model.width_of_value());
  attended = share(c.model.attention_output_width());
  ffn = share(c.model.ffn);
  up = ffn * (c.model.gated_mlp ? 2 : 1);
  vocabulary = c.plan.tensor > 1 ? padded_share(c.model.vocabulary, c.plan.tensor) : c.model.vocabulary;
  const bool parallel = c.plan.tensor > 1;
  before = parallel && c.plan.sequence_parallel ? LayerCollective::gather : LayerCollective::none;
  behind = !parallel                  ? LayerCollective::none
           : c.plan.sequence_parallel ? LayerCollective::scatter
                                      : LayerCollective::reduce;
}

Bytes RankShapes::residual(double widths) const {
  return static_cast<double>(tokens * hidden) * widths * element / residual_split_ * byte;
}

Bytes RankShapes::split(std::int64_t width, double tensors) const {
  return static_cast<double>(tokens * width) * tensors * element * byte;
}

}  // namespace clusterwright
