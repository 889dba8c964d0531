// SPDX-License-Identifier: Apache-2.0
/// Collectives by their plain names.
#pragma once

#include "models/kernels/collectives/collective_time.hpp"

namespace clusterwright::testing {

inline constexpr auto all_reduce = CollectiveOp::all_reduce;
inline constexpr auto all_gather = CollectiveOp::all_gather;
inline constexpr auto all_to_all = CollectiveOp::all_to_all;
inline constexpr CollectiveChoice bulk_ring{Algorithm::ring, Protocol::simple};

}  // namespace clusterwright::testing
