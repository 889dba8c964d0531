// SPDX-License-Identifier: Apache-2.0
/// Laws that the answer of sizing must obey.
#pragma once

#include "models/site/sizing/sized_cluster.hpp"

namespace clusterwright {

/// Counts, masses and prices are not below zero; power of the parts sums to that of the whole, on the way from the
/// machines to the grid nothing is gained; trough <= mean <= peak; sums of money are those of their lines. Where every
/// verdict holds, the mean is within the rating.
/// @throws LawBroken
void check_laws(const SizedCluster& sized);

}  // namespace clusterwright
