// SPDX-License-Identifier: Apache-2.0
/// Families with mixtures of experts.
#pragma once

#include <vector>

#include "models/job/hf_families.hpp"

namespace clusterwright::hf {

std::vector<HfFamily> mixture_families();

}  // namespace clusterwright::hf
