// SPDX-License-Identifier: Apache-2.0
/// The model that the host loop trains.
#pragma once

#include <cstdint>

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

}  // namespace clusterwright
