// SPDX-License-Identifier: Apache-2.0
/// Steps in which nothing takes time but the kernels of decoder layers.
#pragma once

#include <string>
#include <vector>

#include "sim/step_graph.hpp"

namespace clusterwright::testing {

/// Time of one layer: forward pass, gradients by inputs, gradients by weights.
struct LayerTimes {
  Picoseconds forward, input, weight;
  Picoseconds backward() const { return input + weight; }
  Picoseconds whole() const { return forward + backward(); }
};

/// Makes everything free but the kernels of decoder layers.
inline LayerTimes keep_only_layers(StepGraph& graph) {
  const std::vector<std::string> outside = {"embedding", "final norm", "logits", "loss", "optimizer"};
  LayerTimes layer;
  for (std::size_t i = 0; i < graph.timing.works.size(); ++i) {
    WorkTiming& work = graph.timing.works[WorkId(i)];
    const std::string& name = graph.structure.work_names[WorkId(i)];
    work.launch = {};
    work.reserved_sms = 0;
    for (const std::string& prefix : outside)
      if (name.starts_with(prefix)) work.duration = {};
    const bool input = name.ends_with("bwd") || name.ends_with("dgrad");
    (name.ends_with("wgrad") ? layer.weight : input ? layer.input : layer.forward) += work.duration;
  }
  for (LegTiming& leg : graph.timing.legs) leg.delay = {}, leg.bytes = 0;
  return layer;
}

}  // namespace clusterwright::testing
