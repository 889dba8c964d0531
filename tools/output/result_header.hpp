// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/job/scenario.hpp"

namespace clusterwright {

/// What every JSON result starts with: schema version, tool, command, seed and the hashes of its inputs.
JsonValue result_header(const std::string& command, std::uint64_t seed, const std::vector<InputFile>& inputs);

}  // namespace clusterwright
