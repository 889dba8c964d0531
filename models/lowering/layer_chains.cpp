// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/layer_chains.hpp"

#include "models/kernels/streaming_time.hpp"
#include "models/lowering/rank_shapes.hpp"

namespace clusterwright {

ReplicaGroup group_of(LayerCollective kind) {
  if (kind >= LayerCollective::expert_gather) return ReplicaGroup::expert_tensor;
  if (kind >= LayerCollective::expert_dispatch) return ReplicaGroup::experts;
  return kind >= LayerCollective::context_step ? ReplicaGroup::context : ReplicaGroup::all;
}

LayerChains::LayerChains(const PlannedStep& step, StepLinks& links, RankClassId rank_class)
    : step_(step), links_(links), class_(rank_class) {
  if (step_.plan().tensor > 1) choose_tensor_chains();
  if (step_.plan().context > 1) choose_context_chains();
  if (step_.scenario.transformer.experts) choose_expert_chains();
}

void LayerChains::choose_tensor_chains() {
  const auto chain = [&](LayerCollective kind, CollectiveOp op) {
    set(kind, links_.tensor(op, step_.activation(), class_));
  };
  chain(LayerCollective::gather, CollectiveOp::all_gather);
  chain(LayerCollective::scatter, CollectiveOp::reduce_scatter);
  chain(LayerCollective::reduce, CollectiveOp::all_reduce);
}

void LayerChains::choose_context_chains() {
  const RankShapes shapes(step_.job);
  const Bytes keys = shapes.split(shapes.key_value + shapes.value, 1);
  const Bytes queries = shapes.split(shapes.query, 1), results = shapes.split(shapes.attended, 1);
  const int ranks = step_.plan().context;
  const auto group = [&](CollectiveOp op, Bytes payload) {
    return links_.replicas(ReplicaGroup::context, op, payload, class_);
  };
  set(LayerCollective::context_step, links_.context_step(keys, class_));
  set(LayerCollective::context_step_with_gradients, links_.context_step(2 * keys, class_));
  set(LayerCollective::context_gather, group(CollectiveOp::all_gather, ranks * keys));
  set(LayerCollective::context_scatter, group(CollectiveOp::reduce_scatter, ranks * keys));
  set(LayerCollective::context_exchange_in, group(CollectiveOp::all_to_all, queries + keys));
  set(LayerCollective::context_exchange_out, group(CollectiveOp::all_to_all, results));
}

void LayerChains::choose_expert_chains() {
  const SoftwareStack& stack = step_.scenario.stack;
  const auto hidden = static_cast<double>(step_.scenario.transformer.hidden);
  const auto exchange = [&](double size) {
    return links_.experts(step_.experts, stack.experts.transfer, hidden * size * byte, class_);
  };
  if (step_.plan().expert > 1) {
    const double size = stack.experts.narrow_dispatch ? element_size(step_.scenario.job.precision) : bytes_16bit;
    const ChainId wide = exchange(bytes_16bit);
    set(LayerCollective::expert_dispatch, size < bytes_16bit ? exchange(size) : wide);
    set(LayerCollective::expert_dispatch_wide, wide);
    set(LayerCollective::expert_combine, wide);
  }
  if (step_.plan().expert_tensor == 1) return;
  const Bytes rows = step_.experts.rows * hidden * bytes_16bit * byte;
  const ReplicaGroup split = ReplicaGroup::expert_tensor;
  set(LayerCollective::expert_gather, links_.replicas(split, CollectiveOp::all_gather, rows, class_));
  set(LayerCollective::expert_scatter, links_.replicas(split, CollectiveOp::reduce_scatter, rows, class_));
}

}  // namespace clusterwright
