// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Generations that NCCL's tables know.
enum class NcclGeneration { volta, ampere, hopper, blackwell };

/// The generation that NCCL's tables would take a part for. Other vendors' libraries descend from NCCL or do as it
/// does: they count as Ampere, the last generation without reduction in the switch.
NcclGeneration nccl_generation(const AcceleratorPart& part);

/// Whether the part's scale-up switches reduce (NVLS): NVLink since Hopper.
bool reduces_in_switch(const AcceleratorPart& part);

}  // namespace clusterwright
