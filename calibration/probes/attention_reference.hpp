// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attention in double precision on the host, for comparison.

#include "attention.hpp"
#include "host_check.hpp"

namespace clusterwright::probes {

/// Rows as the device has them in a shape made by `fused_attention`: q, k and v of a token side by side.
struct HostAttention {
  Numbers out;   // [tokens, heads * head_dim]
  Numbers dqkv;  // as qkv
};

HostAttention attention_reference(const AttentionShape& shape, const Numbers& qkv, const Numbers& dout);

}  // namespace clusterwright::probes
