// SPDX-License-Identifier: Apache-2.0
#include "models/search/stack_ability.hpp"

#include <algorithm>

#include "models/plan/stage_layout.hpp"
#include "models/search/field_values.hpp"

namespace clusterwright {

namespace {

template <class T>
bool lists(const std::vector<T>& all, T one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

StackAbility::StackAbility(const SoftwareStack& stack, const LayoutLimits& limits, std::int64_t layers)
    : known_(stack.layouts), limits_(limits), layers_(layers) {}

bool StackAbility::runs_schedule(const Layout& l) const {
  if (l.pipeline == 1) return true;
  if (!limits_.schedule.names(l.schedule) && !lists(known_->schedules, l.schedule)) return false;
  if (l.virtual_pipeline == 1 || limits_.virtual_pipeline.names(l.virtual_pipeline)) return true;
  return known_->interleaves && splits_evenly(layers_, l.pipeline * l.virtual_pipeline);
}

bool StackAbility::runs_sharding(const Layout& l) const {
  // Nothing is sharded over one replica, whatever it is called; fsdp keeps its weights in another way even then.
  const bool unshared = l.context * l.data == 1 && l.sharding != Sharding::fsdp;
  if (unshared || limits_.sharding.names(l.sharding) || lists(known_->shardings, l.sharding)) return true;
  // Where gradients are reduced whole, both are one layout under a pipeline (layout_space.hpp).
  return l.sharding == Sharding::zero1 && lists(known_->shardings, Sharding::zero2);
}

bool StackAbility::runs_offload(const Layout& l) const {
  const Offload& offload = l.offload;
  const bool apart = l.pipeline == 1 && l.recompute == Recompute::none;
  const bool leaves =
      offload.activations != MemoryLevel::device && !limits_.offload_activations.names(offload.activations);
  if (leaves && known_->activation_offload_alone && !apart) return false;
  const auto runs = [&](MemoryLevel level, OffloadedTensors tensors, const auto& limit) {
    return level == MemoryLevel::device || limit.names(level) || lists(known_->offload, tensors);
  };
  return runs(offload.weights, OffloadedTensors::weights, limits_.offload_weights) &&
         runs(offload.optimizer, OffloadedTensors::optimizer, limits_.offload_optimizer) &&
         runs(offload.activations, OffloadedTensors::activations, limits_.offload_activations);
}

bool StackAbility::runs(const Layout& l) const {
  if (!known_) return true;
  const bool experts = l.expert_tensor == l.tensor || l.expert * l.expert_tensor == 1 || known_->expert_tensor ||
                       limits_.expert_tensor.names(l.expert_tensor);
  return experts && (l.context == 1 || known_->context || limits_.context.names(l.context)) && runs_schedule(l) &&
         (l.recomputed_layers == 0 || known_->partial_recompute || limits_.recomputed_layers) && runs_sharding(l) &&
         runs_offload(l);
}

std::string StackAbility::beyond(const Layout& l) const {
  if (runs(l)) return {};
  const auto text = [&](const char* name, SearchedField field) {
    return std::string(name) + " " + value_text(field, l);
  };
  if (!runs_schedule(l))
    return l.virtual_pipeline > 1 ? text("virtual_pipeline", SearchedField::virtual_pipeline)
                                  : text("schedule", SearchedField::schedule);
  if (!runs_sharding(l)) return text("sharding", SearchedField::sharding);
  if (!runs_offload(l)) return text("offload of", SearchedField::offload);
  if (l.context > 1 && !known_->context) return text("context", SearchedField::context);
  if (l.recomputed_layers > 0 && !known_->partial_recompute) return text("recompute", SearchedField::recompute);
  return text("expert_tensor", SearchedField::expert_tensor);
}

}  // namespace clusterwright
