// SPDX-License-Identifier: Apache-2.0
/// Model that the host loop trains, and the layout of its parameters.
#pragma once

#include <cstdint>
#include <vector>

namespace clusterwright {

/// A decoder small enough to be trained on this machine, fp32: token embedding (no positions); per layer RMSNorm,
/// causal attention, RMSNorm and a GELU MLP, both with a residual; RMSNorm; a head of its own weights. No biases.
struct HostModel {
  std::int64_t layers = 1;
  std::int64_t hidden = 1;
  std::int64_t heads = 1;  ///< must divide `hidden`
  std::int64_t ffn = 1;    ///< width inside the MLP
  std::int64_t vocabulary = 1;
  std::int64_t sequence = 1;   ///< tokens
  std::int64_t sequences = 1;  ///< in the batch of each process

  std::int64_t tokens() const { return sequence * sequences; }  ///< of each process
  std::int64_t head_size() const { return hidden / heads; }

  /// @throws std::invalid_argument if a size is below 1, or heads do not divide hidden
  void check() const;
};

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
