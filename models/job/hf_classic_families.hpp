// SPDX-License-Identifier: Apache-2.0
/// Families of the time of GPT-2.
#pragma once

#include <vector>

#include "models/job/hf_families.hpp"

namespace clusterwright::hf {

std::vector<HfFamily> classic_families();

}  // namespace clusterwright::hf
