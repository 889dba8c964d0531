// SPDX-License-Identifier: Apache-2.0
/// Layout of the parameters of the host's model in one array.
#pragma once

#include <cstdint>
#include <vector>

#include "calibration/host/loop/host_model.hpp"

namespace clusterwright {

/// Begin of each weight in the one array that holds them all; gradients and Adam's moments have the same layout. A
/// weight of a linear layer is (inputs, outputs), row-major.
struct ParameterLayout {
  struct Layer {
    std::int64_t attention_norm;  ///< hidden
    std::int64_t qkv;             ///< (hidden, 3 hidden): queries, keys, values, each of all heads
    std::int64_t projection;      ///< (hidden, hidden)
    std::int64_t mlp_norm;        ///< hidden
    std::int64_t up;              ///< (hidden, ffn)
    std::int64_t down;            ///< (ffn, hidden)
  };

  explicit ParameterLayout(const HostModel& model);

  std::int64_t embedding;  ///< (vocabulary, hidden)
  std::vector<Layer> layers;
  std::int64_t final_norm;  ///< hidden
  std::int64_t head;        ///< (hidden, vocabulary)
  std::int64_t size;        ///< number of all elements
};

}  // namespace clusterwright
