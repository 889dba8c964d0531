// SPDX-License-Identifier: Apache-2.0
/// Own accelerators of a cluster that are described as `like` one of the catalog.
#pragma once

#include <filesystem>
#include <string>

#include "sim/json_value.hpp"

namespace clusterwright {

/// Fills in the fields that an own accelerator leaves out from the catalog entry that its `like` names.
/// @param cluster  document of a cluster, before it is decoded
/// @param pointer  of the cluster in its file
/// @throws ConfigError E0203 if the catalog has no such accelerator
void fill_in_like(JsonValue& cluster, const std::filesystem::path& parts_directory, const std::string& pointer);

}  // namespace clusterwright
