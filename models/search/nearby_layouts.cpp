// SPDX-License-Identifier: Apache-2.0
#include "models/search/nearby_layouts.hpp"

#include <algorithm>

namespace clusterwright {

namespace {

NumberLimit around(int value) {
  NumberLimit limit;
  limit.least = std::max(1, value / 2);
  limit.most = 2 * value;
  return limit;
}

NumberLimit exactly(int value) {
  NumberLimit limit;
  limit.only = {value};
  return limit;
}

void pin_offload(const Offload& offload, LayoutLimits& limits) {
  limits.offload_weights = limits.offload_optimizer = limits.offload_activations = {};
  limits.offload_weights.add(offload.weights);
  limits.offload_optimizer.add(offload.optimizer);
  limits.offload_activations.add(offload.activations);
}

}  // namespace

LayoutLimits limits_near(const LayoutLimits& all, const Layout& centre, VariedDegrees varied) {
  LayoutLimits out = all;
  const auto narrow = [&](NumberLimit& limit, int value, VariedDegrees with) {
    limit.narrow(varied == with ? around(value) : exactly(value));
  };
  narrow(out.tensor, centre.tensor, VariedDegrees::tensor_and_context);
  narrow(out.context, centre.context, VariedDegrees::tensor_and_context);
  narrow(out.expert, centre.expert, VariedDegrees::experts);
  narrow(out.expert_tensor, centre.expert_tensor, VariedDegrees::experts);
  out.pipeline.narrow(around(centre.pipeline));
  out.micro_batch.narrow(around(centre.micro_batch));
  pin_offload(centre.offload, out);
  return out;
}

}  // namespace clusterwright
