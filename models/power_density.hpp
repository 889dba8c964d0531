/// What a part's peak asks of its power.
#pragma once

#include "topology/parts.hpp"

namespace clusterwright {

/// Dense 16-bit peak over rated board power, TFLOP/s per watt: 0.8 (A100) to 2.2 (B200) where kernels were measured.
/// The more FLOPs a watt has to pay for, the further below its peak a part stays.
inline double power_density(const AcceleratorPart& part) {
  return peak(part, NumberFormat::bf16) / (1 * teraflop_per_second) / (part.power.value / (1 * watt));
}

}  // namespace clusterwright
