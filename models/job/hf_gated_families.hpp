// SPDX-License-Identifier: Apache-2.0
/// Families with gated MLPs and no biases: since Llama.
#pragma once

#include <vector>

#include "models/job/hf_families.hpp"

namespace clusterwright::hf {

std::vector<HfFamily> gated_families();

}  // namespace clusterwright::hf
