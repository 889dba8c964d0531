// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/attention_recipes.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright {

KernelTiming AttentionRecipes::fused(bool forward, double heads_split, double queries, double keys,
                                     double share) const {
  const auto keys_width = static_cast<double>(planned_.model.width_of_head());
  const auto values_width = static_cast<double>(planned_.model.width_of_value());
  return kernels_.attention({static_cast<double>(planned_.plan.micro_batch), queries, keys, share,
                             static_cast<double>(shapes_.query) / keys_width / heads_split, keys_width, values_width,
                             forward, planned_.model.mask_edges(planned_.sequence, planned_.sample_tokens),
                             planned_.model.biases});
}

/// Multiplies over the whole square of scores, and the softmax under the mask between them.
void AttentionRecipes::unfused_forward(RecipeWriter& w, const ScoreSquare& s, StepCharge charge, int after) const {
  const Bytes output = shapes_.element * byte;
  const auto width = planned_.model.width_of_head(), value = planned_.model.width_of_value();
  w.kernel("scores", kernels_.gemm({s.queries, s.keys, width, s.heads, GemmLayout::transposed_b}, false, output),
           charge, after);
  const Bytes traffic = s.scores() * (s.share + 1) * shapes_.element * byte;  // the masked part is written, not read
  w.kernel("softmax", kernels_.elementwise(traffic, {StreamingKernel::softmax, KernelPass::forward}, s.heads), charge);
  w.kernel("values", kernels_.gemm({s.queries, value, s.keys, s.heads}, false, output), charge);
}

void AttentionRecipes::unfused_backward(RecipeWriter& w, const ScoreSquare& s, StepCharge charge, int after) const {
  const Bytes output = shapes_.element * byte;
  const auto width = planned_.model.width_of_head(), value = planned_.model.width_of_value();
  w.kernel("values bwd", kernels_.gemm({s.keys, value, s.queries, s.heads, GemmLayout::transposed_a}, false, output),
           charge, after);
  w.kernel("scores bwd", kernels_.gemm({s.queries, s.keys, value, s.heads, GemmLayout::transposed_b}, false, output),
           charge);
  const Bytes traffic = s.scores() * (2 * s.share + 1) * shapes_.element * byte;
  w.kernel("softmax bwd", kernels_.elementwise(traffic, {StreamingKernel::softmax, KernelPass::backward}, s.heads),
           charge);
  w.kernel("queries bwd", kernels_.gemm({s.queries, width, s.keys, s.heads}, false, output), charge);
  w.kernel("keys bwd", kernels_.gemm({s.keys, width, s.queries, s.heads, GemmLayout::transposed_a}, false, output),
           charge);
}

void AttentionRecipes::attend(RecipeWriter& w, const Attended& a, StepCharge charge, int after) const {
  if (planned_.stack.kernels.fused_attention) {
    const KernelTiming timing = fused(a.forward, a.heads_split, a.queries, a.keys, a.share);
    w.kernel(a.forward || a.chunk ? "attention" : "attention bwd", timing, charge, after);
    return;
  }
  const double heads =
      static_cast<double>(planned_.plan.micro_batch * shapes_.query / planned_.model.width_of_head()) / a.heads_split;
  const ScoreSquare square{std::llround(a.queries), std::llround(a.keys), std::llround(heads), a.share};
  a.forward ? unfused_forward(w, square, charge, after) : unfused_backward(w, square, charge, after);
}

/// One chunk of keys after the other; the next one travels meanwhile.
int AttentionRecipes::ring(RecipeWriter& w, bool forward, StepCharge charge) const {
  const int parts = planned_.plan.context;
  const double chunk = static_cast<double>(planned_.sequence) / parts;
  const double mean = planned_.model.score_share(planned_.sequence, planned_.sample_tokens);
  const LayerCollective step = forward ? LayerCollective::context_step : LayerCollective::context_step_with_gradients;
  // The step ends with its slowest rank: unbalanced, the last one attends to all chunks before its own.
  const double others = planned_.stack.balanced_context ? mean : std::min(1.0, 2 * mean);
  const int entry = w.last();
  attend(w, {forward, 1, chunk, chunk, mean, true}, charge, -1);
  for (int part = 1; part < parts; ++part) {
    const int arrived = w.collective(step, entry);
    attend(w, {forward, 1, chunk, chunk, others, true}, charge, arrived);
  }
  return -1;
}

/// Fraction of the scores of a rank's queries that the mask keeps. The step ends with its slowest rank: where the
/// sequence is cut into plain chunks, the last rank attends to all chunks before its own.
double AttentionRecipes::gathered_share(double sequence) const {
  const double mean = planned_.model.score_share(sequence, planned_.sample_tokens);
  const bool uneven = planned_.plan.context_exchange == ContextExchange::all_gather && !planned_.stack.balanced_context;
  const double parts = planned_.plan.context;
  return uneven ? std::min(1.0, mean * (2 - 1 / parts)) : mean;
}

int AttentionRecipes::forward(RecipeWriter& w, StepCharge charge) const {
  const double parts = planned_.plan.context, sequence = planned_.sequence;
  const double share = gathered_share(sequence);
  if (planned_.plan.context == 1) {
    attend(w, {true, 1, sequence, sequence, share}, charge, -1);
    return -1;
  }
  switch (planned_.plan.context_exchange) {
    case ContextExchange::ring:
      return ring(w, true, charge);
    case ContextExchange::all_gather:
      attend(w, {true, 1, sequence / parts, sequence, share}, charge,
             w.collective(LayerCollective::context_gather, w.last()));
      return -1;
    case ContextExchange::all_to_all:
      break;
  }
  attend(w, {true, parts, sequence, sequence, share}, charge,
         w.collective(LayerCollective::context_exchange_in, w.last()));
  return w.collective(LayerCollective::context_exchange_out, w.last());
}

int AttentionRecipes::backward(RecipeWriter& w) const {
  const double parts = planned_.plan.context, sequence = planned_.sequence;
  const double share = gathered_share(sequence);
  const StepCharge charge = StepCharge::compute_attention;
  if (planned_.plan.context == 1) {
    attend(w, {false, 1, sequence, sequence, share}, charge, -1);
    return -1;
  }
  switch (planned_.plan.context_exchange) {
    case ContextExchange::ring:
      return ring(w, false, charge);
    case ContextExchange::all_gather:
      attend(w, {false, 1, sequence / parts, sequence, share}, charge,
             w.collective(LayerCollective::context_gather, w.last()));
      return w.collective(LayerCollective::context_scatter, w.last());
    case ContextExchange::all_to_all:
      break;
  }
  attend(w, {false, parts, sequence, sequence, share}, charge,
         w.collective(LayerCollective::context_exchange_out, w.last()));
  return w.collective(LayerCollective::context_exchange_in, w.last());
}

}  // namespace clusterwright
