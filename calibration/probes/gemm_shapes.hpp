// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which multiplies are worth a sample.

#include <string>
#include <vector>

#include "lt_gemm.hpp"

namespace clusterwright::probes {

struct GemmCase {
  std::string origin;  // "llama3-70b tp4 mlp_up", "grid", "wave edge"
  GemmShape shape;
};

/// The widths of one transformer, as published.
struct TransformerWidths {
  const char* name;
  int hidden, ffn, heads, kv_heads, head_dim;
  bool gated;
  int vocabulary;
};

const std::vector<TransformerWidths>& transformer_widths();

/// Every linear layer of every model at tensor splits 1, 2, 4, 8, in three layouts; duplicates dropped.
std::vector<GemmCase> layer_gemms(DataType type, bool full);
/// A log grid in m, n, k, forward.
std::vector<GemmCase> grid_gemms(DataType type, bool full);
/// Just below, at and above whole tiles and whole waves of 128 x 256 tiles; few tokens as in decoding.
std::vector<GemmCase> edge_gemms(DataType type, int multiprocessors, bool full);
/// The few that are also held until clocks and power are steady.
std::vector<GemmCase> sustained_gemms(DataType type, bool full);

}  // namespace clusterwright::probes
